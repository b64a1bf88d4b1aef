import assert from 'node:assert/strict';
import { type AuthChallenge, AuthRequiredError } from '@mcp-fittings/client-core';
import type { AuthBench } from './auth-case.js';
import type { TestServerResponse } from './auth-options.js';

/** The most challenges of one request that are useful: a nonce, a renewal, a wider scope. */
const MAX_CHALLENGES = 4;

export function sign(bench: AuthBench): Promise<Readonly<Record<string, string>>> {
  return bench.within(bench.provider.headers({ url: bench.url, method: 'POST' }), 'headers()');
}

export function challengeOf(
  bench: AuthBench,
  verdict: TestServerResponse,
  signed: Readonly<Record<string, string>>,
): AuthChallenge {
  const { wwwAuthenticate, dpopNonce } = verdict;
  const status = verdict.status === 403 ? 403 : 401;
  const { authorization: refused } = signed;
  return { url: bench.url, status, wwwAuthenticate, dpopNonce, method: 'POST', refused, signed };
}

/** Sends one request as a transport does: sign, send, and pass a refusal to the provider. */
export async function request(bench: AuthBench): Promise<TestServerResponse> {
  for (let challenges = 0; ; challenges++) {
    const headers = await sign(bench);
    const verdict = await bench.send(headers);
    const { dpopNonce } = verdict;
    if (dpopNonce !== undefined) bench.provider.onDpopNonce?.({ url: bench.url, dpopNonce });
    if (![401, 403].includes(verdict.status) || challenges >= MAX_CHALLENGES) return verdict;
    const challenge = challengeOf(bench, verdict, headers);
    const answer = await bench.within(bench.provider.onChallenge(challenge), 'onChallenge()');
    assert.equal(answer, 'retry', "onChallenge() settles with 'retry'");
  }
}

/** The same, and signs in when the provider asks for it. */
export async function requestSignedIn(bench: AuthBench): Promise<TestServerResponse> {
  const outcome = await request(bench).catch((error: unknown) => {
    if (!bench.capabilities.signsIn || !(error instanceof AuthRequiredError)) throw error;
    return error;
  });
  if (!(outcome instanceof AuthRequiredError)) return outcome;
  assert.ok(bench.provider.signIn !== undefined, 'a provider that asks for a sign-in has signIn()');
  await bench.within(bench.provider.signIn({ challenge: outcome.challenge }), 'signIn()');
  return request(bench);
}
