import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Keyring from '@napi-rs/keyring';
import { installedFile } from '@mcp-fittings/toolbox/own-program';
import type { DriverSpec, KeytarLike } from './keychain-driver.js';

/** Loads native code, so it is called at the first use and, except for hosts that opt out, in the helper process. */
export async function loadDriver(spec: DriverSpec): Promise<KeytarLike> {
  if (spec === '@napi-rs/keyring') return loadNapiKeyring();
  const specifier = typeof spec === 'string' ? spec : urlOf(spec.module);
  const loaded: unknown = await import(/* webpackIgnore: true */ specifier);
  for (const candidate of [loaded, memberOf(loaded, 'default')]) {
    if (isKeytar(candidate)) return candidate;
  }
  throw new Error(`${specifier} does not export the functions of keytar.`);
}

/**
 * Without this option, and always in its own keytar.js, the library falls back to the kernel's keyring when there is no
 * Secret Service: what is stored there is lost at a restart, without an error.
 * @see https://github.com/Brooooooklyn/keyring-node/issues/142
 */
const SECRET_SERVICE_ONLY = { linux: { store: 'secret-service' } } as const;

/** Adapts `@napi-rs/keyring` to the functions of keytar. A bundler that found an import of native code would stop there. */
async function loadNapiKeyring(): Promise<KeytarLike> {
  const path = installedFile('@napi-rs/keyring', import.meta.url);
  const { createRequire } = process.getBuiltinModule('node:module');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its declarations
  const { AsyncEntry } = createRequire(path)(path) as typeof Keyring;
  // Created per call: an entry holds a connection to the service, which may have been restarted since.
  const entry = (service: string, account: string): InstanceType<typeof AsyncEntry> =>
    new AsyncEntry(service, account, SECRET_SERVICE_ONLY);
  return {
    getPassword: async (service, account) => (await entry(service, account).getPassword()) ?? null,
    setPassword: async (service, account, password) => entry(service, account).setPassword(password),
    deletePassword: async (service, account) => entry(service, account).deletePassword(),
  };
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
