import type { StoredValue } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import {
  resolveKey,
  seal,
  storeError,
  unseal,
  parseValue,
  type KeySource,
} from '@mcp-fittings/toolbox/stores';

/** One state of an entry, as stored in Redis. */
export interface EntryState {
  /** Greater than the version of every earlier state. */
  readonly version: number;
  /** Time when Redis may delete it, in milliseconds since the epoch. */
  readonly until: number;
  /** Undefined when the value was deleted. */
  readonly value: StoredValue | undefined;
}

/** More than a value of the largest size needs, escaped and encrypted. */
export const MAX_SEALED_BYTES = 1024 * 1024;

const STORED = /^(\d{1,15}) (\{[ -~]*\})$/;

/** Encrypts a state. `text` is the value as JSON; undefined encrypts the tombstone of a deleted value. */
export async function sealEntry(
  entry: string,
  { version, until }: Pick<EntryState, 'version' | 'until'>,
  text: string | undefined,
  keys: KeySource,
): Promise<string> {
  const content = `{"until":${until}${text === undefined ? '' : `,"value":${text}`}}`;
  return `${version} ${seal(bindingOf(entry, version), content, await resolveKey(keys))}`;
}

/** Decrypts a state. Rejects with `STORE_CORRUPT`, and with `STORE_LOCKED` when the key it was encrypted with is not available. */
export async function unsealEntry(entry: string, text: string, keys: KeySource): Promise<EntryState> {
  const [, digits, envelope] = STORED.exec(text) ?? [];
  if (digits === undefined || envelope === undefined) throw corruptEntry('foreign');
  const version = Number(digits);
  const { until, value } = parseValue(await unseal(bindingOf(entry, version), envelope, keys)) ?? {};
  if (typeof until !== 'number' || (value !== undefined && !isRecord(value))) throw corruptEntry('foreign');
  return { version, until, value };
}

function bindingOf(entry: string, version: number): string {
  return `redis ${entry} ${version}`;
}

const REASONS = {
  foreign: 'A credential in Redis was changed, or was not written by this store.',
  long: 'A credential in Redis is too long to have been written by this store.',
  'rolled-back': 'Redis returned an older credential than it did before.',
  lost: 'Redis has lost a credential that was not deleted.',
} as const;

const HINTS: Readonly<Partial<Record<keyof typeof REASONS, string>>> = {
  'rolled-back': 'Sign in again. A failover that loses writes causes this: see min-replicas-to-write.',
  lost: 'Sign in again. To keep credentials, Redis needs `appendonly yes` and `maxmemory-policy noeviction`.',
};

/** Creates a `STORE_CORRUPT` error with `details.reason`. The entry itself stays in Redis. */
export function corruptEntry(reason: keyof typeof REASONS): Error {
  return storeError('STORE_CORRUPT', REASONS[reason], {
    hint: HINTS[reason] ?? 'Sign in again to replace it.',
    details: { reason },
  });
}
