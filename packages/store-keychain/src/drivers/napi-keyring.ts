import type { KeytarLike } from './keytar-like.js';

/**
 * Without this, and in its own keytar.js always, the library falls back to the kernel's keyring where there is no
 * Secret Service: what is stored there is gone after a restart, and nothing says so.
 * @see https://github.com/Brooooooklyn/keyring-node/issues/142
 */
const PINNED = { linux: { store: 'secret-service' } } as const;

/** The functions of keytar on `@napi-rs/keyring`. */
export async function loadNapiKeyring(): Promise<KeytarLike> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  // Not kept: an entry is a connection to the service, which may be another one tomorrow.
  const entry = (service: string, account: string): InstanceType<typeof AsyncEntry> =>
    new AsyncEntry(service, account, PINNED);
  return {
    getPassword: async (service, account) => (await entry(service, account).getPassword()) ?? null,
    setPassword: async (service, account, password) => entry(service, account).setPassword(password),
    deletePassword: async (service, account) => entry(service, account).deletePassword(),
  };
}
