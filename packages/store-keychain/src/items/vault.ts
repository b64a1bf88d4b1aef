import { randomBytes } from 'node:crypto';
import type { Caller, Failure, Outcome } from '../isolation/protocol.js';
import type { KeychainStatus } from '../status.js';
import { troubleError, troubleOf, type Trouble } from './keychain-failure.js';

/** The items of one service in the keychain. Everything rejects with STORE_LOCKED or STORE_UNAVAILABLE. */
export interface Vault {
  /** `null` only where it is certain that there is no such item. */
  get(account: string): Promise<string | null>;
  /** `null` also where the driver can't see the item. */
  peek(account: string): Promise<string | null>;
  /** The first one waits until a test item went in and came out again. */
  set(account: string, text: string): Promise<void>;
  /** False: there was no such item, or the driver could not see it. */
  delete(account: string): Promise<boolean>;
  /** After a "no such item" that proves nothing by itself: rejects unless the keychain is seen to work. */
  assertReachable(): Promise<void>;
  /** Writes, reads back and deletes a test item. */
  probe(): Promise<KeychainStatus>;
}

export interface VaultOptions {
  readonly caller: Caller;
  readonly service: string;
  /** Name of the driver, for messages. */
  readonly driver: string;
  readonly provesAbsence: boolean;
}

export function createVault(options: VaultOptions): Vault {
  const { caller, service, driver, provesAbsence } = options;
  const fine: KeychainStatus = { state: 'available', driver };
  let tried: Promise<void> | undefined;

  const read = (account: string): Promise<Outcome> => caller.call({ op: 'get', service, account });
  const remove = (account: string): Promise<Outcome> => caller.call({ op: 'delete', service, account });
  const trouble = (state: Trouble, failure: Failure): KeychainStatus => ({
    state,
    driver,
    error: troubleError(state, driver, failure),
  });
  const readTrouble = (failure: Failure): KeychainStatus =>
    trouble(troubleOf(failure) ?? 'unavailable', failure);

  const write = async (account: string, password: string): Promise<KeychainStatus> => {
    const outcome = await caller.call({ op: 'set', service, account, password });
    if (outcome.ok) return fine;
    const known = troubleOf(outcome.failure);
    if (known !== undefined) return trouble(known, outcome.failure);
    return trouble((await read(account)).ok ? 'read-only' : 'unavailable', outcome.failure);
  };

  const probe = async (): Promise<KeychainStatus> => {
    const account = `v1:probe:${randomBytes(9).toString('base64url')}`;
    const text = randomBytes(24).toString('base64url');
    const written = await write(account, text);
    if (written.error !== undefined) return written;
    const back = await read(account);
    const removed = await remove(account);
    for (const outcome of [back, removed]) if (!outcome.ok) return readTrouble(outcome.failure);
    if (back.ok && back.value === text) return fine;
    return readTrouble({ kind: 'driver', message: 'It did not give back what was written' });
  };

  const tryOut = async (): Promise<void> => assertFine(await probe());
  const assertReachable = async (): Promise<void> => {
    if (!provesAbsence) await tryOut();
  };

  const peek = async (account: string): Promise<string | null> => {
    const outcome = await read(account);
    if (!outcome.ok) throw readTrouble(outcome.failure).error;
    return typeof outcome.value === 'string' ? outcome.value : null;
  };

  return {
    async get(account) {
      const text = await peek(account);
      if (text === null) await assertReachable();
      return text;
    },
    peek,
    async set(account, text) {
      tried ??= tryOut();
      await tried.catch((error: unknown) => {
        tried = undefined;
        throw error;
      });
      assertFine(await write(account, text));
    },
    async delete(account) {
      const outcome = await remove(account);
      if (!outcome.ok) throw readTrouble(outcome.failure).error;
      return outcome.value === true;
    },
    assertReachable,
    probe,
  };
}

function assertFine({ error }: KeychainStatus): void {
  if (error !== undefined) throw error;
}
