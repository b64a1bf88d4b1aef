import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { AuthRequiredError } from '@mcp-fittings/client-core';
import { assertRejects } from '../../transport-suite/expect.js';
import { challengeOf, request, requestSignedIn, sign } from '../as-transport.js';
import type { AuthCaseGroup } from '../auth-case.js';
import { outcomeOf } from '../../transport-suite/deadline.js';

const AT_ONCE = 10;

export const recoveryCases: AuthCaseGroup = {
  name: 'recovery',
  cases: [
    {
      name: 'obtains new credentials when its current ones are refused, without asking a person',
      when: ({ renews }) => renews,
      async run(bench) {
        await requestSignedIn(bench);
        const { authorization: old } = await sign(bench);
        const asked = bench.interactions?.();
        await bench.revoke?.();
        assert.ok((await request(bench)).status < 400, 'the server accepts the new ones');
        assert.notEqual((await sign(bench))['authorization'], old);
        assert.equal(bench.interactions?.(), asked, 'a person was asked');
      },
    },
    {
      name: 'renews once for all requests that are refused at the same time',
      when: ({ renews }) => renews,
      async run(bench) {
        await requestSignedIn(bench);
        await bench.revoke?.();
        const before = (await bench.renewals?.()) ?? 0;
        const verdicts = await Promise.all(Array.from({ length: AT_ONCE }, () => request(bench)));
        for (const { status } of verdicts) assert.ok(status < 400, `the server answered ${status}`);
        assert.equal((await bench.renewals?.()) ?? 1, before + 1, 'renewals');
      },
    },
    {
      name: 'does not renew for a refusal of credentials that it has replaced since',
      when: ({ renews }) => renews,
      async run(bench) {
        await requestSignedIn(bench);
        const old = await sign(bench);
        await bench.revoke?.();
        const verdict = await bench.send(old);
        await request(bench);
        const before = await bench.renewals?.();
        const late = bench.provider.onChallenge(challengeOf(bench, verdict, old));
        assert.equal(await bench.within(late, 'onChallenge()'), 'retry');
        assert.equal(await bench.renewals?.(), before, 'renewals');
      },
    },
    {
      name: 'stops when the server refuses everything, with an error that a host can act on',
      async run(bench) {
        await requestSignedIn(bench);
        const { authorization = '' } = await sign(bench);
        const before = (await bench.renewals?.()) ?? 0;
        await bench.refuseAll();
        for (let n = 0; n < AT_ONCE; n++) {
          const outcome = await outcomeOf(request(bench));
          if (outcome.ok) continue;
          const error = await assertRejects(Promise.reject(outcome.error), 'the request');
          const shown = inspect(error, { depth: 9 }) + JSON.stringify(error);
          const secret = authorization.split(' ').at(-1) ?? '';
          assert.ok(secret === '' || !shown.includes(secret), 'the error shows a credential');
        }
        const renewals = ((await bench.renewals?.()) ?? 0) - before;
        assert.ok(renewals <= AT_ONCE * 2, `${renewals} renewals for ${AT_ONCE} requests are a storm`);
      },
    },
    {
      name: 'survives invalid challenges and nonces',
      async run(bench) {
        await requestSignedIn(bench);
        for (const dpopNonce of ['', 'a\r\nb', '"', 'x'.repeat(100_000)]) {
          bench.provider.onDpopNonce?.({ url: bench.url, dpopNonce });
          assert.ok((await request(bench)).status < 400, 'the next request is signed as well as before');
        }
        for (const wwwAuthenticate of [
          undefined,
          '',
          ',,,,',
          'Bearer '.repeat(2000),
          'Bearer resource_metadata="file:///etc/passwd"',
          'Bearer realm="\\',
          `Bearer scope="${'x '.repeat(8000)}"`,
          'Negotiate, Basic realm="a, Bearer error=evil", Digest qop="auth"',
        ]) {
          const { authorization: refused } = await outcomeHeaders(bench);
          const outcome = await bench.within(
            outcomeOf(bench.provider.onChallenge({ url: bench.url, status: 401, wwwAuthenticate, refused })),
            `onChallenge() with ${String(wwwAuthenticate).slice(0, 40)}`,
          );
          if (!outcome.ok) await assertRejects(Promise.reject(outcome.error), 'onChallenge()');
        }
      },
    },
    {
      name: 'rejects with an AuthRequiredError that has the challenge when a person is needed',
      when: ({ signsIn }) => signsIn,
      async run(bench) {
        const outcome = await outcomeOf(request(bench));
        assert.ok(!outcome.ok, 'the request rejects');
        assert.ok(outcome.error instanceof AuthRequiredError, `not ${String(outcome.error)}`);
        assert.equal(outcome.error.challenge?.status, 401);
        assert.equal(bench.interactions?.() ?? 0, 0, 'a person was asked before anybody wanted it');
      },
    },
  ],
};

async function outcomeHeaders(bench: Parameters<typeof sign>[0]): Promise<Readonly<Record<string, string>>> {
  return sign(bench).catch(() => ({}));
}
