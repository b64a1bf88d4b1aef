import type { KeytarLike } from '../drivers/keytar-like.js';
import type { Call, Failure, Outcome } from './protocol.js';

/** One call of the driver, with whatever it does turned into an outcome. */
export async function carryOut(driver: KeytarLike, call: Call): Promise<Outcome> {
  try {
    return { ok: true, value: await dispatch(driver, call) };
  } catch (error) {
    return { ok: false, failure: failureOf('driver', error, call) };
  }
}

export function failureOf(kind: Failure['kind'], error: unknown, call?: Call): Failure {
  const text = error instanceof Error ? error.message : String(error);
  // A native library may quote what it was given.
  const secret = call?.op === 'set' ? call.password : '';
  return { kind, message: secret === '' ? text : text.replaceAll(secret, '[redacted]') };
}

async function dispatch(driver: KeytarLike, call: Call): Promise<string | boolean | null> {
  const { service, account } = call;
  if (call.op === 'get') return (await driver.getPassword(service, account)) ?? null;
  if (call.op === 'delete') return driver.deletePassword(service, account);
  await driver.setPassword(service, account, call.password);
  return null;
}
