import type { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { storeError } from '@mcp-fittings/toolbox/stores';
import { isBusFull, isServiceGone } from '../driver/driver-connection.js';
import type { DriverFailure } from '../driver/driver-protocol.js';

/**
 * State of a keychain. `available`: a test item was written, read back and deleted. `locked`: the user must unlock it.
 * `timeout`: it does not reply. `read-only`: it can be read but not written. `unavailable`: there is no keychain, or it does
 * not work.
 */
export type KeychainState = 'available' | 'unavailable' | 'locked' | 'timeout' | 'read-only';

/** Result of testing a keychain. */
export interface KeychainStatus {
  /** Anything but `available` means that reads and writes reject. */
  readonly state: KeychainState;
  /** Name of the driver that was tested. */
  readonly driver: string;
  /** Error that `set` would reject with. Undefined when it is available. */
  readonly error?: FittingsError | undefined;
}

/** State of a keychain that is not available. */
export type KeychainProblem = Exclude<KeychainState, 'available'>;

/**
 * The drivers do not have codes for these, only the texts of the system: those of gnome-keyring as observed on Linux, and those
 * of macOS as documented.
 */
const SYSTEM_TEXTS: readonly (readonly [KeychainProblem, RegExp])[] = [
  ['locked', /is ?locked|locked collection|prompt was dismissed|interaction is not allowed|user cancell?ed/i],
  ['timeout', /did not receive a reply|timed? ?out/i],
  ['unavailable', /no result found|object does not exist at path/i],
];

/** Returns the problem of the keychain behind a failure; undefined when the failure may concern only this call. */
export function problemOf(failure: DriverFailure): KeychainProblem | undefined {
  const { kind, message } = failure;
  if (isServiceGone(failure) || isBusFull(failure)) return 'unavailable';
  if (kind === 'timeout') return 'timeout';
  if (kind !== 'driver') return 'unavailable';
  return SYSTEM_TEXTS.find(([, text]) => text.test(message))?.[0];
}

export function problemError(state: KeychainProblem, driver: string, failure: DriverFailure): FittingsError {
  return storeError(
    state === 'locked' ? 'STORE_LOCKED' : 'STORE_UNAVAILABLE',
    messageFor(state, driver, failure),
    {
      hint: hintFor(state, driver, failure),
      details: { state, driver },
    },
  );
}

function messageFor(state: KeychainProblem, driver: string, failure: DriverFailure): string {
  const text = sanitizeText(failure.message);
  if (failure.kind === 'load') return `Could not load the keychain driver ${driver}: ${text}`;
  if (failure.kind !== 'driver') return text;
  const reported = `${driver} reported: ${text}`;
  if (isServiceGone(failure)) return `The service of the keychain went away, twice. ${reported}`;
  if (isBusFull(failure)) return `The session bus does not accept another connection. ${reported}`;
  return `${MESSAGES[state]} ${reported}`;
}

function hintFor(state: KeychainProblem, driver: string, failure: DriverFailure): string {
  if (isServiceGone(failure)) {
    return 'Try again: the system may have restarted it. If it keeps exiting, see its log, such as `journalctl --user -t gnome-keyring-daemon`.';
  }
  if (isBusFull(failure)) {
    return 'Try again when fewer programs use the keychain, or raise `max_connections_per_user` in the configuration of the bus.';
  }
  if (failure.kind === 'load') return `Check that ${driver} is installed for this platform.`;
  return HINTS[state];
}

const MESSAGES: Readonly<Record<KeychainProblem, string>> = {
  locked: 'The keychain is locked.',
  timeout: 'The keychain does not reply.',
  unavailable: 'No keychain is available.',
  'read-only': 'The keychain can be read but not written.',
};

const HINTS: Readonly<Record<KeychainProblem, string>> = {
  locked: 'Unlock it and try again. If the user can answer its prompt, raise `timeoutMs`.',
  timeout: 'A prompt may be waiting on another screen. If the user can answer it, raise `timeoutMs`.',
  unavailable:
    'On Linux, start a Secret Service (gnome-keyring, KWallet, KeePassXC), or choose another token store.',
  'read-only': 'Choose another token store.',
};
