import { webcrypto } from 'node:crypto';
import { isRecord, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';
import {
  allowInsecureRequests,
  customFetch,
  DPoP,
  generateKeyPair,
  protectedResourceRequest,
  type DPoPHandle,
} from 'oauth4webapi';

/**
 * The key that the DPoP-bound tokens of one server are bound to. It is kept in the store, because a bound token can be used
 * with its key only.
 * @see https://www.rfc-editor.org/rfc/rfc9449.html
 */
export interface DPoPKeys {
  /** Resolves with the handle for requests to the authorization server. The key is created on first use, once per store. */
  handle(): Promise<DPoPHandle>;
  /** Resolves with the DPoP proof for one request to the MCP server. */
  prove(request: { readonly url: URL; readonly method: string }, accessToken: string): Promise<string>;
  /** Uses this nonce of the server in all further proofs. */
  learnNonce(url: URL, nonce: string): void;
  /** Deletes the key. */
  forget(): Promise<void>;
}

/** The syntax of a nonce: RFC 9449, section 8.1. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,4096}$/;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

export function createDPoPKeys(store: TokenStore, key: string): DPoPKeys {
  let handle: Promise<DPoPHandle> | undefined;
  /** The next proof waits until the newest nonce is known. */
  let learning: Promise<void> = Promise.resolve();
  let newest: string | undefined;

  const load = (): Promise<DPoPHandle> =>
    store.withLock(key, async () => {
      const stored = await importPair(await store.get(key));
      if (stored !== undefined) return DPoP({}, stored);
      const made = await generateKeyPair('ES256', { extractable: true });
      const jwk = await webcrypto.subtle.exportKey('jwk', made.privateKey);
      await store.set(key, { version: 1, jwk: { ...jwk } });
      return DPoP({}, made);
    });

  const get = (): Promise<DPoPHandle> => {
    handle ??= load().catch((error: unknown) => {
      handle = undefined;
      throw error;
    });
    return handle;
  };

  return {
    handle: get,
    async prove({ url, method }, accessToken) {
      let proof = '';
      await learning;
      await throughLibrary(await get(), url, method, accessToken, (headers) => {
        proof = headers['dpop'] ?? '';
        return new Response(null, { status: 204 });
      });
      return proof;
    },
    learnNonce(url, nonce) {
      // Without a proof there is no key yet, and a server that sends nonces with every response must not cause one.
      if (handle === undefined || nonce === newest || !NONCE.test(nonce)) return;
      newest = nonce;
      const answer = new Response(null, { status: 204, headers: { 'dpop-nonce': nonce } });
      const dpopKeys = handle;
      learning = learning
        .then(async () => throughLibrary(await dpopKeys, url, 'GET', 'none', () => answer))
        // The next proof reports what is wrong with the key.
        .catch(() => undefined);
    },
    async forget() {
      handle = undefined;
      newest = undefined;
      await store.delete(key);
    },
  };
}

/** The library makes dpopKeys and learns nonces only within a request; this one goes nowhere. */
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
  const { subtle } = webcrypto;
  return {
    privateKey: await subtle.importKey('jwk', { ...jwk, key_ops: ['sign'] }, ALGORITHM, false, ['sign']),
    publicKey: await subtle.importKey('jwk', { ...open, key_ops: ['verify'] }, ALGORITHM, true, ['verify']),
  };
}
