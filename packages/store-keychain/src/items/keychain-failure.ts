import { sanitizeText, type FittingsError } from '@mcp-fittings/client-core/auth';
import { storeError } from '@mcp-fittings/store-file/toolkit';
import { isBusFull, isServiceGone } from '../isolation/once-more.js';
import type { Failure } from '../isolation/protocol.js';
import type { KeychainState } from '../status.js';

/** What can be wrong with a keychain. */
export type Trouble = Exclude<KeychainState, 'available'>;

/**
 * The drivers have no codes for these, only the words of the system below them: of gnome-keyring as seen on Linux, and
 * of macOS as its documentation has them.
 */
const WORDS: readonly (readonly [Trouble, RegExp])[] = [
  ['locked', /is ?locked|locked collection|prompt was dismissed|interaction is not allowed|user cancell?ed/i],
  ['timeout', /did not receive a reply|timed? ?out/i],
  ['unavailable', /no result found|object does not exist at path/i],
];

/** What a failure says about the keychain; undefined where it may be about this one call. */
export function troubleOf(failure: Failure): Trouble | undefined {
  const { kind, message } = failure;
  if (isServiceGone(failure) || isBusFull(failure)) return 'unavailable';
  if (kind === 'timeout') return 'timeout';
  if (kind !== 'driver') return 'unavailable';
  return WORDS.find(([, words]) => words.test(message))?.[0];
}

export function troubleError(state: Trouble, driver: string, failure: Failure): FittingsError {
  const said = sanitizeText(failure.message);
  if (isServiceGone(failure)) {
    return storeError('STORE_UNAVAILABLE', `The keychain's service went away, twice. (${said})`, {
      hint: 'Try again: the system may have started it anew. If it keeps ending, look at its log, such as `journalctl --user -t gnome-keyring-daemon`.',
      details: { state, driver },
    });
  }
  if (isBusFull(failure)) {
    return storeError('STORE_UNAVAILABLE', `The session bus does not accept another connection. (${said})`, {
      hint: 'Try again when fewer programs use the keychain. A larger `max_connections_per_user` in the configuration of the bus also helps.',
      details: { state, driver },
    });
  }
  return storeError(
    state === 'locked' ? 'STORE_LOCKED' : 'STORE_UNAVAILABLE',
    `${SENTENCE[state]} (${said})`,
    {
      hint: failure.kind === 'load' ? `Is ${driver} installed for this platform?` : HINT[state],
      details: { state, driver },
    },
  );
}

const SENTENCE: Readonly<Record<Trouble, string>> = {
  locked: 'The keychain is locked.',
  timeout: 'The keychain does not answer.',
  unavailable: 'No keychain can be used.',
  'read-only': 'The keychain can be read, not written.',
};

const HINT: Readonly<Record<Trouble, string>> = {
  locked: 'Unlock it and try again. Where a person can answer its prompt, give a longer `timeoutMs`.',
  timeout: 'Is a prompt waiting on another screen? Where a person can answer it, give a longer `timeoutMs`.',
  unavailable:
    'On Linux, start a Secret Service (gnome-keyring, KWallet, KeePassXC), or choose another token store.',
  'read-only': 'Choose another token store.',
};
