import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { request, requestSignedIn, sign } from '../as-transport.js';
import type { AuthCaseGroup } from '../auth-case.js';

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export const signingCases: AuthCaseGroup = {
  name: 'signing',
  cases: [
    {
      name: 'signs so that its server accepts the request',
      async run(bench) {
        const { status } = await requestSignedIn(bench);
        assert.ok(status < 400, `the server answered ${status}`);
      },
    },
    {
      name: 'returns headers with lower-case names and valid values',
      async run(bench) {
        await requestSignedIn(bench);
        const headers = Object.entries(await sign(bench));
        assert.ok(headers.length > 0, 'there are headers');
        for (const [name, value] of headers) {
          assert.match(name, NAME, `the name '${name}'`);
          assert.match(value, VALUE, `the value of '${name}'`);
        }
      },
    },
    {
      name: 'does not sign requests to another origin',
      async run(bench) {
        await requestSignedIn(bench);
        const url = new URL('https://another-origin.example/mcp');
        assert.deepEqual(
          await bench.within(bench.provider.headers({ url, method: 'POST' }), 'headers()'),
          {},
        );
      },
    },
    {
      name: 'does not show credentials when it is inspected or serialized',
      async run(bench) {
        await requestSignedIn(bench);
        const { authorization = '' } = await sign(bench);
        const shown =
          inspect(bench.provider, { depth: 9, showHidden: true }) + JSON.stringify(bench.provider);
        for (const secret of [authorization.split(' ').at(-1) ?? '', ...(bench.secrets ?? [])]) {
          assert.ok(secret === '' || !shown.includes(secret), 'a secret is shown');
        }
      },
    },
    {
      name: 'neither asks a person nor renews while its credentials are valid',
      async run(bench) {
        await requestSignedIn(bench);
        const before = [await bench.renewals?.(), bench.interactions?.()];
        for (let n = 0; n < 5; n++) assert.ok((await request(bench)).status < 400, 'the server accepts it');
        assert.deepEqual([await bench.renewals?.(), bench.interactions?.()], before);
      },
    },
  ],
};
