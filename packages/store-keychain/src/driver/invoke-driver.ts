import type { DriverCall, DriverFailure, DriverResult } from './driver-protocol.js';
import type { KeytarLike } from './keychain-driver.js';

/** Makes one call of the driver and turns its outcome into a {@link DriverResult}. Never rejects. */
export async function invokeDriver(driver: KeytarLike, call: DriverCall): Promise<DriverResult> {
  try {
    return { ok: true, value: await dispatch(driver, call) };
  } catch (error) {
    return { ok: false, failure: failureOf('driver', error, call) };
  }
}

export function failureOf(kind: DriverFailure['kind'], error: unknown, call?: DriverCall): DriverFailure {
  const text = error instanceof Error ? error.message : String(error);
  // A native library may quote its arguments.
  const secret = call?.op === 'set' ? call.password : '';
  return { kind, message: secret === '' ? text : text.replaceAll(secret, '[redacted]') };
}

async function dispatch(driver: KeytarLike, call: DriverCall): Promise<string | boolean | null> {
  const { service, account } = call;
  if (call.op === 'get') return (await driver.getPassword(service, account)) ?? null;
  if (call.op === 'delete') return driver.deletePassword(service, account);
  await driver.setPassword(service, account, call.password);
  return null;
}
