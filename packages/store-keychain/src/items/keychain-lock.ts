import type { FileLocks } from '@mcp-fittings/toolbox/stores';
import type { Guard } from './documents.js';

/**
 * One lock for the whole keychain. All programs that share the lock directory access it one after the other, readers too:
 * gnome-keyring 42 aborts, and locks the keyring again, when one client reads while another one writes, even another item.
 */
export interface KeychainLock {
  /** Runs `work` with the lock. `assertHeld` rejects when this process has lost the lock because it was suspended. */
  run<T>(work: (assertHeld: Guard) => Promise<T>): Promise<T>;
}

const NAME = 'keychain';

export function createKeychainLock(locks: FileLocks): KeychainLock {
  return { run: (work) => locks.run(NAME, () => work(() => locks.assertNotLost(NAME))) };
}
