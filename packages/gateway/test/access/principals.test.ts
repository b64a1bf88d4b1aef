import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createBrowser } from '../sign-in/support/browser.js';
import { startSigningIn, type SigningIn } from '../sign-in/support/signing-in.js';

const PEOPLE = Array.from({ length: 8 }, (_, index) => `person${index}`);

/** Signs a person in at the issuer, and at the server with the page that the first call names. */
async function arrive(world: SigningIn, person: string) {
  const browser = createBrowser(person);
  const token = await world.tokenOf(browser);
  const client = new Client({ name: person, version: '1' }, { capabilities: { elicitation: { url: {} } } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${world.origin}/mcp/one`), { requestInit });
  await client.connect(transport);
  const call = () => client.callTool({ name: 'whoami', arguments: { as: person } });
  const refusal: unknown = await call().catch((error: unknown) => error);
  if (!(refusal instanceof UrlElicitationRequiredError)) throw refusal;
  const shown = await browser.open(refusal.elicitations[0]?.url ?? '');
  expect(shown.html).toContain('You are signed in to one');
  return { person, token, client, call, session: transport.sessionId ?? '' };
}

describe('people share a gateway, and nothing else', () => {
  it('gives each their own tools, results and sessions, and keeps both kinds of tokens apart', async () => {
    await using world = await startSigningIn();
    const people = await Promise.all(PEOPLE.map((person) => arrive(world, person)));

    await Promise.all(
      people.map(async ({ person, client, call }) => {
        expect(JSON.stringify(await call())).toContain(`you are ${person}"`);
        const names = (await client.listTools()).tools.map(({ name }) => name);
        expect(names.toSorted()).toEqual([`tool_of_${person}`, 'whoami']);
      }),
    );

    // A session is of no use with the token of another person.
    const [ann, bob] = people;
    if (ann === undefined || bob === undefined) throw new Error('no people');
    const answer = await fetch(`${world.origin}/mcp/one`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bob.token}`,
        'mcp-session-id': ann.session,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain(ann.person);

    // At the servers: each token is of one person, is used for that person, and is not one of the gateway.
    const gatewayTokens = new Set(people.map(({ token }) => token));
    const accountOf = new Map<string, string | undefined>();
    for (const { token, account, calledAs } of world.servers.seen) {
      expect(gatewayTokens.has(token)).toBe(false);
      expect([account, undefined]).toContain(calledAs);
      expect(accountOf.get(token) ?? account).toBe(account);
      accountOf.set(token, account);
    }
    expect(new Set(accountOf.values())).toEqual(new Set(PEOPLE));

    // In the responses of the gateway: no token at all.
    const sent = world.sent();
    expect(sent.length).toBeGreaterThan(20_000);
    for (const token of [...accountOf.keys(), ...gatewayTokens]) expect(sent).not.toContain(token);
    await Promise.all(people.map(({ client }) => client.close()));
  });
});
