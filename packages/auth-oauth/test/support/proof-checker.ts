import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';

export type Verdict = 'good' | 'use_dpop_nonce' | 'invalid_dpop_proof';

/** Checks DPoP proofs as a resource server has to, with `jose`. @see https://www.rfc-editor.org/rfc/rfc9449.html#section-4.3 */
export interface ProofChecker {
  /** The outcome of each request, in order. */
  readonly verdicts: Verdict[];
  /** Why the last proof was invalid. */
  readonly trouble: string;
  check(request: IncomingMessage, url: string, token: string, jkt: string | undefined): Promise<Verdict>;
  /** A new nonce, which every further proof must contain. */
  next(): string;
}

/** `remembers` is how many previous nonces are accepted as well, for requests in flight. */
export function createProofChecker(remembers = 0): ProofChecker {
  const seen = new Set<string>();
  let nonces: readonly string[] = [];
  const verdicts: Verdict[] = [];
  let trouble = '';

  const verdictOf = async (proof: string, expected: Readonly<Record<string, unknown>>, jkt: string) => {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: ['ES256'],
      maxTokenAge: 60,
    });
    const { jwk } = protectedHeader;
    if (jwk === undefined || (await calculateJwkThumbprint(jwk)) !== jkt) throw new Error('another key');
    for (const [name, value] of Object.entries(expected)) {
      if (payload[name] !== value) throw new Error(`${name}: ${String(payload[name])}`);
    }
    const { jti = '', nonce } = payload;
    if (seen.has(jti)) throw new Error('seen before');
    seen.add(jti);
    return nonces.includes(String(nonce)) ? 'good' : 'use_dpop_nonce';
  };

  return {
    verdicts,
    get trouble() {
      return trouble;
    },
    async check(request, url, token, jkt = '') {
      const ath = createHash('sha256').update(token).digest('base64url');
      const { dpop } = request.headers;
      const expected = { htm: request.method, htu: url, ath };
      const verdict = await verdictOf(String(dpop), expected, jkt).catch((error: unknown) => {
        trouble = String(error);
        return 'invalid_dpop_proof' as const;
      });
      verdicts.push(verdict);
      return verdict;
    },
    next() {
      const nonce = randomBytes(12).toString('base64url');
      nonces = [nonce, ...nonces].slice(0, remembers + 1);
      return nonce;
    },
  };
}
