import { isRecord } from '@mcp-fittings/client-core';
import type { StoredValue } from '@mcp-fittings/client-core/auth';
import {
  resolveKey,
  seal,
  storeError,
  unseal,
  parseValue,
  type KeySource,
} from '@mcp-fittings/store-file/toolkit';

/** One state of an entry, as it lies in Redis. */
export interface EntryState {
  /** Greater than that of every state before. */
  readonly version: number;
  /** Milliseconds since the epoch; by then Redis may have dropped it. */
  readonly until: number;
  /** Undefined: the value was deleted. */
  readonly value: StoredValue | undefined;
}

/** A value of the largest size, its letters escaped and then sealed, is shorter. */
export const MAX_SEALED_BYTES = 1024 * 1024;

const FORM = /^(\d{1,15}) (\{[ -~]*\})$/;

/** `text` is the value as JSON; undefined seals the mark of a deleted one. */
export async function sealEntry(
  entry: string,
  { version, until }: Pick<EntryState, 'version' | 'until'>,
  text: string | undefined,
  keys: KeySource,
): Promise<string> {
  const content = `{"until":${until}${text === undefined ? '' : `,"value":${text}`}}`;
  return `${version} ${seal(boundName(entry, version), content, await resolveKey(keys))}`;
}

/** The other way. Rejects with STORE_CORRUPT, and with STORE_LOCKED where there is no key with the id it was sealed with. */
export async function unsealEntry(entry: string, text: string, keys: KeySource): Promise<EntryState> {
  const [, digits, envelope] = FORM.exec(text) ?? [];
  if (digits === undefined || envelope === undefined) throw corruptEntry('foreign');
  const version = Number(digits);
  const { until, value } = parseValue(await unseal(boundName(entry, version), envelope, keys)) ?? {};
  if (typeof until !== 'number' || (value !== undefined && !isRecord(value))) throw corruptEntry('foreign');
  return { version, until, value };
}

function boundName(entry: string, version: number): string {
  return `redis ${entry} ${version}`;
}

const REASONS = {
  foreign: 'What lies in Redis in the place of a credential is not what was written.',
  long: 'What lies in Redis in the place of a credential is too long for one.',
  'rolled-back': 'Redis gave an older credential than it had given before.',
  lost: 'Redis has lost a credential that nobody deleted.',
} as const;

const HINTS: Readonly<Partial<Record<keyof typeof REASONS, string>>> = {
  'rolled-back': 'Sign in again. A fail-over that loses writes does this: see min-replicas-to-write.',
  lost: 'Sign in again. Redis needs appendonly yes and maxmemory-policy noeviction to keep credentials.',
};

/** `details.reason` says which. Nothing is deleted because of it. */
export function corruptEntry(reason: keyof typeof REASONS): Error {
  return storeError('STORE_CORRUPT', REASONS[reason], {
    hint: HINTS[reason] ?? 'Sign in again: that replaces it.',
    details: { reason },
  });
}
