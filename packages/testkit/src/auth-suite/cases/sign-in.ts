import assert from 'node:assert/strict';
import { assertRejects } from '../../transport-suite/expect.js';
import { request, requestSignedIn, sign } from '../as-transport.js';
import type { AuthCaseGroup } from '../auth-case.js';

export const signInCases: AuthCaseGroup = {
  name: 'signing in and out',
  cases: [
    {
      name: 'has no credentials before the sign-in, and does not fail',
      when: ({ signsIn }) => signsIn,
      async run(bench) {
        assert.deepEqual(await sign(bench), {});
      },
    },
    {
      name: 'rejects a sign-in that is canceled before it begins',
      when: ({ signsIn }) => signsIn,
      async run(bench) {
        const signal = AbortSignal.abort();
        const signingIn = bench.provider.signIn?.({ signal }) ?? Promise.resolve();
        await assertRejects(bench.within(signingIn, 'signIn()'), 'signIn()', 'ABORTED');
        assert.deepEqual(await sign(bench), {});
      },
    },
    {
      name: 'replaces its credentials in a second sign-in',
      when: ({ signsIn }) => signsIn,
      async run(bench) {
        await requestSignedIn(bench);
        const { authorization: old } = await sign(bench);
        await bench.within(bench.provider.signIn?.({}) ?? Promise.resolve(), 'signIn()');
        assert.notEqual((await sign(bench))['authorization'], old);
        assert.ok((await request(bench)).status < 400, 'the server accepts the new ones');
      },
    },
    {
      name: 'deletes its credentials when it signs out, also the second time',
      when: ({ signsOut }) => signsOut,
      async run(bench) {
        await requestSignedIn(bench);
        await bench.within(bench.provider.signOut?.() ?? Promise.resolve(), 'signOut()');
        assert.deepEqual(await sign(bench), {});
        await bench.within(bench.provider.signOut?.() ?? Promise.resolve(), 'signOut() again');
        assert.ok((await requestSignedIn(bench)).status < 400, 'one can sign in again');
      },
    },
  ],
};
