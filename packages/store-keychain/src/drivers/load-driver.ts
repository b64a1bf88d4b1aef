import { pathToFileURL } from 'node:url';
import { isAbsolute } from 'node:path';
import type { DriverSpec } from './driver-spec.js';
import type { KeytarLike } from './keytar-like.js';
import { loadNapiKeyring } from './napi-keyring.js';

/** Loads native code, so it is called at the first use and, but for hosts that ask for it, in the helper process. */
export async function loadDriver(spec: DriverSpec): Promise<KeytarLike> {
  if (spec === '@napi-rs/keyring') return loadNapiKeyring();
  const specifier = typeof spec === 'string' ? spec : urlOf(spec.module);
  const loaded: unknown = await import(specifier);
  for (const candidate of [loaded, memberOf(loaded, 'default')]) {
    if (isKeytar(candidate)) return candidate;
  }
  throw new Error(`${specifier} has not the functions of keytar.`);
}

function urlOf(module: string): string {
  return isAbsolute(module) ? pathToFileURL(module).href : module;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isKeytar(value: unknown): value is KeytarLike {
  return ['getPassword', 'setPassword', 'deletePassword'].every(
    (name) => typeof memberOf(value, name) === 'function',
  );
}
