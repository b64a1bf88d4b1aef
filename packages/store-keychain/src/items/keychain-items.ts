import { randomBytes } from 'node:crypto';
import type { DriverConnection, DriverFailure, DriverResult } from '../driver/driver-protocol.js';
import { problemError, problemOf, type KeychainProblem, type KeychainStatus } from './keychain-status.js';

/** The items of one service in the keychain. All methods reject with `STORE_LOCKED` or `STORE_UNAVAILABLE`. */
export interface KeychainItems {
  /** Resolves with `null` only when it is certain that there is no such item. */
  get(account: string): Promise<string | null>;
  /** Resolves with `null` also when the driver cannot see the item. */
  peek(account: string): Promise<string | null>;
  /** Before the first write, a test item is written, read back and deleted. */
  set(account: string, text: string): Promise<void>;
  /** Resolves with false when there was no such item, or the driver could not see it. */
  delete(account: string): Promise<boolean>;
  /** Call it after a "no such item" that proves nothing by itself: rejects unless the keychain works. */
  assertReachable(): Promise<void>;
  /** Writes, reads back and deletes a test item. */
  probe(): Promise<KeychainStatus>;
}

export function createKeychainItems(options: {
  readonly connection: DriverConnection;
  readonly service: string;
  /** Name of the driver, for messages. */
  readonly driver: string;
  readonly provesAbsence: boolean;
}): KeychainItems {
  const { connection, service, driver, provesAbsence } = options;
  const available: KeychainStatus = { state: 'available', driver };
  let probed: Promise<void> | undefined;

  const read = (account: string): Promise<DriverResult> => connection.call({ op: 'get', service, account });
  const remove = (account: string): Promise<DriverResult> =>
    connection.call({ op: 'delete', service, account });
  const problem = (state: KeychainProblem, failure: DriverFailure): KeychainStatus => ({
    state,
    driver,
    error: problemError(state, driver, failure),
  });
  const readProblem = (failure: DriverFailure): KeychainStatus =>
    problem(problemOf(failure) ?? 'unavailable', failure);

  const write = async (account: string, password: string): Promise<KeychainStatus> => {
    const result = await connection.call({ op: 'set', service, account, password });
    if (result.ok) return available;
    const known = problemOf(result.failure);
    if (known !== undefined) return problem(known, result.failure);
    return problem((await read(account)).ok ? 'read-only' : 'unavailable', result.failure);
  };

  const probe = async (): Promise<KeychainStatus> => {
    const account = `v1:probe:${randomBytes(9).toString('base64url')}`;
    const text = randomBytes(24).toString('base64url');
    const written = await write(account, text);
    if (written.error !== undefined) return written;
    const back = await read(account);
    const removed = await remove(account);
    for (const result of [back, removed]) if (!result.ok) return readProblem(result.failure);
    if (back.ok && back.value === text) return available;
    return readProblem({
      kind: 'unavailable',
      message: 'The keychain does not work: it returned another value than the one that was written.',
    });
  };

  const assertWorking = async (): Promise<void> => assertAvailable(await probe());
  const assertReachable = async (): Promise<void> => {
    if (!provesAbsence) await assertWorking();
  };

  const peek = async (account: string): Promise<string | null> => {
    const result = await read(account);
    if (!result.ok) throw readProblem(result.failure).error;
    return typeof result.value === 'string' ? result.value : null;
  };

  return {
    async get(account) {
      const text = await peek(account);
      if (text === null) await assertReachable();
      return text;
    },
    peek,
    async set(account, text) {
      probed ??= assertWorking();
      await probed.catch((error: unknown) => {
        probed = undefined;
        throw error;
      });
      assertAvailable(await write(account, text));
    },
    async delete(account) {
      const result = await remove(account);
      if (!result.ok) throw readProblem(result.failure).error;
      return result.value === true;
    },
    assertReachable,
    probe,
  };
}

function assertAvailable({ error }: KeychainStatus): void {
  if (error !== undefined) throw error;
}
