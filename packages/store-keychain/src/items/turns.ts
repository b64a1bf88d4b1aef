import type { FileLocks } from '@mcp-fittings/store-file/toolkit';
import type { Guard } from './documents.js';

/**
 * All programs that share the lock directory use the keychain one after the other, readers too: gnome-keyring 42 aborts,
 * and locks what the person had unlocked, when one client reads while another one writes, be it another item. `own`
 * rejects when the turn was lost, for a process that was suspended in it.
 */
export interface Turns {
  take<T>(work: (own: Guard) => Promise<T>): Promise<T>;
}

const NAME = 'keychain';

export function createTurns(locks: FileLocks): Turns {
  return { take: (work) => locks.run(NAME, () => work(() => locks.assertNotLost(NAME))) };
}
