import { webcrypto } from 'node:crypto';
import { isRecord, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';
import {
  allowInsecureRequests,
  customFetch,
  DPoP,
  type DPoPHandle,
  generateKeyPair,
  protectedResourceRequest,
} from 'oauth4webapi';

/**
 * The key that the tokens of one server are bound to. It stays in the store, so that a token that was bound in one run can
 * be used in the next one.
 * @see https://www.rfc-editor.org/rfc/rfc9449.html
 */
export interface DPoPKeys {
  /** For requests to the authorization server. Made at the first use, once for all that share the store. */
  handle(): Promise<DPoPHandle>;
  /** A proof for one request to the server. */
  prove(request: { readonly url: URL; readonly method: string }, accessToken: string): Promise<string>;
  /** The server wants to see this nonce in all dpopKeys from now on. */
  learnNonce(url: URL, nonce: string): void;
  forget(): Promise<void>;
}

/** RFC 9449, section 8.1. */
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
      // Who has made no proof yet has no key, and shall get none by a server that says this to everybody.
      if (handle === undefined || nonce === newest || !NONCE.test(nonce)) return;
      newest = nonce;
      const answer = new Response(null, { status: 204, headers: { 'dpop-nonce': nonce } });
      const dpopKeys = handle;
      learning = learning
        .then(async () => throughLibrary(await dpopKeys, url, 'GET', 'none', () => answer))
        // What is wrong with the key is said by the next proof.
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
