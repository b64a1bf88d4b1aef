import type { DriverCall, DriverFailure, DriverResult } from './driver-protocol.js';
import type { KeytarLike } from './keychain-driver.js';

/** Returns what calls a driver, which is loaded for the first call, and turns each outcome into a {@link DriverResult}. It never rejects. */
export function createInvoker(load: () => Promise<KeytarLike>): (call: DriverCall) => Promise<DriverResult> {
  let driver: Promise<KeytarLike> | undefined;
  return async (call) => {
    let loaded: KeytarLike;
    try {
      loaded = await (driver ??= load());
    } catch (error) {
      driver = undefined;
      return { ok: false, failure: failureOf('load', error) };
    }
    try {
      return { ok: true, value: await dispatch(loaded, call) };
    } catch (error) {
      return { ok: false, failure: failureOf('driver', error, call) };
    }
  };
}

function failureOf(kind: DriverFailure['kind'], error: unknown, call?: DriverCall): DriverFailure {
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
