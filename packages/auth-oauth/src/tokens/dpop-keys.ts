import type { webcrypto } from 'node:crypto';
import type { StoredValue, TokenStore } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import {
  allowInsecureRequests,
  customFetch,
  DPoP,
  generateKeyPair,
  protectedResourceRequest,
  type DPoPHandle,
} from 'oauth4webapi';
import type { TokenRecord } from './token-record.js';

/** The syntax of a nonce: RFC 9449, section 8.1. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,4096}$/;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

/**
 * The key that the DPoP-bound tokens of one server are bound to. It is kept in the store, because a bound token can be used
 * with its key only.
 * @see https://www.rfc-editor.org/rfc/rfc9449.html
 */
export class DPoPKeys {
  readonly #store: TokenStore;
  readonly #key: string;
  #handle: Promise<DPoPHandle> | undefined;
  /** The sign-in whose tokens {@link #handle} is for. */
  #signIn: string | undefined;
  /** The next proof waits until the newest nonce is known. */
  #learning: Promise<void> = Promise.resolve();
  #newest: string | undefined;

  /** `key` is the key of the value in the store. */
  constructor(store: TokenStore, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /**
   * Resolves with the handle of the key. It is created on first use, once per store, and read from the store once per sign-in: another
   * process may have signed out, which deletes the key, and in. Without a sign-in it is read, because a new one is about to begin.
   */
  handle(signIn?: string): Promise<DPoPHandle> {
    if (this.#handle === undefined || signIn === undefined || signIn !== this.#signIn) {
      this.#signIn = signIn;
      this.#handle = this.#load(this.#handle).catch((error: unknown) => {
        this.#handle = undefined;
        throw error;
      });
    }
    return this.#handle;
  }

  /** Resolves with the DPoP proof for one request to the MCP server. */
  async prove(
    { url, method }: { readonly url: URL; readonly method: string },
    { accessToken, signIn = '' }: TokenRecord,
  ): Promise<string> {
    let proof = '';
    await this.#learning;
    await throughLibrary(await this.handle(signIn), url, method, accessToken, (headers) => {
      proof = headers['dpop'] ?? '';
      return new Response(null, { status: 204 });
    });
    return proof;
  }

  /** Uses this nonce of the server in all further proofs. */
  learnNonce(url: URL, nonce: string): void {
    const handle = this.#handle;
    // Without a proof there is no key yet, and a server that sends nonces with every response must not cause one.
    if (handle === undefined || nonce === this.#newest || !NONCE.test(nonce)) return;
    this.#newest = nonce;
    const answer = new Response(null, { status: 204, headers: { 'dpop-nonce': nonce } });
    this.#learning = this.#learning
      .then(async () => throughLibrary(await handle, url, 'GET', 'none', () => answer))
      // The next proof reports what is wrong with the key.
      .catch(() => undefined);
  }

  /** Deletes the key. */
  async forget(): Promise<void> {
    this.#handle = undefined;
    this.#newest = undefined;
    await this.#store.delete(this.#key);
  }

  /** Keeps the handle before if it is of the same key, because it has learned nonces. */
  async #load(before: Promise<DPoPHandle> | undefined): Promise<DPoPHandle> {
    const stored = async () => importPair(await this.#store.get(this.#key));
    const pair =
      (await stored()) ??
      (await this.#store.withLock(this.#key, async () => (await stored()) ?? this.#make()));
    const loaded = DPoP({}, pair);
    const known = await before?.catch(() => undefined);
    if (known !== undefined && (await known.calculateThumbprint()) === (await loaded.calculateThumbprint()))
      return known;
    this.#newest = undefined;
    return loaded;
  }

  async #make(): Promise<webcrypto.CryptoKeyPair> {
    const made = await generateKeyPair('ES256', { extractable: true });
    const jwk = await crypto.subtle.exportKey('jwk', made.privateKey);
    await this.#store.set(this.#key, { version: 1, jwk: { ...jwk } });
    return made;
  }
}

/** The library makes proofs and learns nonces only within a request; this one goes nowhere. */
async function throughLibrary(
  handle: DPoPHandle,
  url: URL,
  method: string,
  accessToken: string,
  answer: (headers: Readonly<Record<string, string>>) => Response,
): Promise<void> {
  await protectedResourceRequest(accessToken, method, url, new Headers(), null, {
    DPoP: handle,
    [allowInsecureRequests]: true,
    [customFetch]: async (_url, options) => answer(options.headers),
  });
}

async function importPair(value: StoredValue | undefined): Promise<webcrypto.CryptoKeyPair | undefined> {
  const jwk = value?.['version'] === 1 ? value['jwk'] : undefined;
  if (!isRecord(jwk)) return undefined;
  const { d: _, key_ops: _ops, ...open } = jwk;
  const { subtle } = crypto;
  return {
    privateKey: await subtle.importKey('jwk', { ...jwk, key_ops: ['sign'] }, ALGORITHM, false, ['sign']),
    publicKey: await subtle.importKey('jwk', { ...open, key_ops: ['verify'] }, ALGORITHM, true, ['verify']),
  };
}
