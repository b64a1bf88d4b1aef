import { inspect } from 'node:util';
import * as oauth from 'oauth4webapi';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AllowedAddresses, checkHttpOptions } from '@mcp-fittings/toolbox/connect';
import { createFetchClient, type FetchClientOptions } from '../src/fetch.js';
import { createHttpClient, type HttpClientOptions } from '../src/index.js';
import { AddressGuard } from '../src/http/address-guard.js';
import { makeCertificates, type Certificates } from './support/certificates.js';
import { startHttp, startHttps } from './support/http-server.js';

let pki: Certificates;
beforeAll(() => {
  pki = makeCertificates();
});
afterAll(() => pki[Symbol.dispose]());

/** A server somewhere on the internet, that names URLs to us. */
const remote = (options: Partial<HttpClientOptions> = {}) =>
  createHttpClient({ url: 'https://mcp.example.com/mcp', proxy: 'none', server: 'one', ...options });

const remoteByFetch = () => createFetchClient({ url: 'https://mcp.example.com/mcp', server: 'one' });

const allowing = (...allowAddresses: string[]): AllowedAddresses =>
  checkHttpOptions({ url: 'https://mcp.example.com/mcp', proxy: 'none', allowAddresses }).allowed;

const never = () => Promise.reject(new Error('the resolver must not be asked'));

describe('an address in a URL of a server', () => {
  it.each([
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://0/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://2130706433/',
    'https://１２７.0.0.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST/',
    'https://as.localhost/',
  ])('is blocked when it is written out: %s', async (url) => {
    await using network = remote({ resolve: never });
    for (const each of [network, remoteByFetch()])
      await expect(each.fetch(url)).rejects.toMatchObject({
        code: 'ADDRESS_BLOCKED',
        delivery: 'not-sent',
        server: 'one',
        hint: expect.stringContaining('allowAddresses') as unknown,
      });
  });

  it.each(['10.1.2.3', 'fd12::1', '::ffff:192.168.0.1'])(
    'is blocked when a name resolves to it: %s',
    async (address) => {
      const asked: string[] = [];
      const resolve = (host: string) => {
        asked.push(host);
        // One good address does not make the other good.
        return Promise.resolve(['93.184.216.34', address]);
      };
      await using network = remote({ resolve });
      await expect(network.fetch('https://as.example.com/token', { method: 'POST' })).rejects.toMatchObject({
        code: 'ADDRESS_BLOCKED',
        delivery: 'not-sent',
      });
      expect(asked).toEqual(['as.example.com']);
    },
  );

  it.each([
    ['IPv4-mapped, private', '::ffff:10.0.0.1'],
    ['IPv4-mapped, in hexadecimal', '::ffff:a9fe:a9fe'],
    ['IPv4-mapped, in full', '0:0:0:0:0:ffff:7f00:1'],
    ['IPv4-mapped, in capitals', '::FFFF:C0A8:0001'],
    ['IPv4-mapped, public', '::ffff:93.184.216.34'],
    ['IPv4-translated', '::ffff:0:10.0.0.1'],
    ['IPv4-compatible', '::10.0.0.1'],
    ['IPv4-compatible, public', '::5db8:d822'],
    ['NAT64, private', '64:ff9b::10.0.0.1'],
    ['NAT64, metadata', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of a local network', '64:ff9b:1::5db8:d822'],
    ['NAT64 of a local network, a longer prefix', '64:ff9b:1:abcd::5db8:d822'],
    ['6to4, private', '2002:a00:1::1'],
    ['6to4, loopback', '2002:7f00:1::'],
    ['Teredo', '2001:0:a00:1::f5ff:fffe'],
    ['ISATAP, private', '2606:2800::5efe:10.0.0.1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['link-local with a zone of an unusual name', 'fe80::1%eth_0'],
  ])('%s is blocked, written out and resolved: %s', (_, address) => {
    const configured = new URL('https://mcp.example.com/mcp');
    const guard = new AddressGuard({ configured, allowed: allowing() });
    const blocked = expect.objectContaining({ code: 'ADDRESS_BLOCKED' }) as Error;
    expect(() => guard.checkAddresses('as.example.com', [address])).toThrow(blocked);
    if (address.includes('%')) return;
    expect(() => guard.checkUrl(new URL(`https://[${address}]/`))).toThrow(blocked);
  });

  it('what is allowed as IPv4 is allowed in its IPv6 notation', () => {
    const configured = new URL('https://mcp.example.com/mcp');
    const addresses = ['10.0.0.1', '::ffff:10.0.0.1'];
    const guard = new AddressGuard({ configured, allowed: allowing('10.0.0.0/8') });
    expect(guard.checkAddresses('as.corp', addresses)).toEqual(addresses);
  });

  it('is allowed when it is public: as it is, or behind NAT64', () => {
    const configured = new URL('https://mcp.example.com/mcp');
    const addresses = ['93.184.216.34', '2606:2800:21f::1', '64:ff9b::5db8:d822'];
    const guard = new AddressGuard({ configured, allowed: allowing() });
    expect(guard.checkAddresses('as.example.com', addresses)).toEqual(addresses);
    for (const address of addresses)
      guard.checkUrl(new URL(`https://${address.includes(':') ? `[${address}]` : address}/`));
  });

  it('is allowed on loopback when the server itself is there', async () => {
    await using as = await startHttp((_, response) => response.end('token'), { host: '::1' });
    for (const url of ['http://localhost:3000/mcp', 'http://127.0.0.1:3000/mcp', 'http://[::1]:3000/mcp']) {
      await using network = createHttpClient({ url });
      expect(await (await network.fetch(`${as.origin}/token`)).text()).toBe('token');
      await expect(network.fetch('https://10.0.0.1/')).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
      await expect(network.fetch('https://169.254.169.254/')).rejects.toMatchObject({
        code: 'ADDRESS_BLOCKED',
      });
    }
  });

  it('is allowed when the person named the same host, or allowed it', async () => {
    await using as = await startHttps(pki.server, (_, response) => response.end('token'));
    const url = `https://mcp.test:${as.port}/token`;
    const resolve = () => Promise.resolve(['127.0.0.1']);
    const settings: Partial<HttpClientOptions>[] = [
      { url: 'https://mcp.test/mcp' },
      { allowAddresses: ['mcp.test'] },
      { allowAddresses: ['MCP.test.'] },
      { allowAddresses: ['127.0.0.1'] },
      { allowAddresses: ['10.0.0.0/8', '127.0.0.0/8'] },
    ];
    for (const setting of settings) {
      await using network = remote({ ca: pki.ca, resolve, ...setting });
      expect(await (await network.fetch(url)).text()).toBe('token');
    }
    await using other = remote({ ca: pki.ca, resolve, allowAddresses: ['10.0.0.0/8', 'test', 'xmcp.test'] });
    await expect(other.fetch(url)).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  });

  it.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'a b', 'https://x', '10.0.0.0/8/8', '', '*'])(
    'an entry of allowAddresses that means nothing is refused: %j',
    (entry) => {
      expect(() => remote({ allowAddresses: [entry] })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    },
  );

  it('is never asked of a URL with userinfo, without https, or of no URL', async () => {
    await using network = remote({ resolve: never });
    for (const url of [
      'http://as.example.com/',
      'https://u:canary@as.example.com/',
      'file:///etc/passwd',
      'data:,x',
      'javascript:1',
      'canary',
    ]) {
      for (const each of [network, remoteByFetch()]) {
        const refused = each.fetch(url);
        await expect(refused, url).rejects.toMatchObject({ code: 'POLICY_DENIED', delivery: 'not-sent' });
        await expect(refused, url).rejects.not.toThrow('canary');
      }
    }
  });
});

describe('a resolver that changes its answer (DNS rebinding)', () => {
  it('is asked once: the address that was checked is the one that is connected to', async () => {
    await using trap = await startHttps(pki.server, (_, response) => response.end('trap'));
    const place = { host: '::1', port: trap.port };
    await using _checked = await startHttps(pki.server, (_, response) => response.end('checked'), place);
    let asked = 0;
    const resolve = () => Promise.resolve([++asked === 1 ? '::1' : '127.0.0.1']);
    await using network = remote({ ca: pki.ca, resolve, allowAddresses: ['::1'] });
    expect(await (await network.fetch(`https://mcp.test:${trap.port}/`)).text()).toBe('checked');
    expect(asked).toBe(1);
    // A new connection asks again, and its answer is checked like the first.
    await using later = remote({ ca: pki.ca, resolve, allowAddresses: ['::1'] });
    await expect(later.fetch(`https://mcp.test:${trap.port}/`)).rejects.toMatchObject({
      code: 'ADDRESS_BLOCKED',
    });
    expect(trap.connections).toBe(0);
  });
});

const onFetch = (options: FetchClientOptions) => {
  const client = createFetchClient(options);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
};

describe.each([
  ['undici', createHttpClient],
  ['the fetch of the platform', onFetch],
])('the fetch for sign-in, on %s', (_, createClient) => {
  it('hands a redirect back instead of following it', async () => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/to') response.end('followed');
      else response.writeHead(307, { location: '/to' }).end();
    });
    await using network = createClient({ url: server.origin });
    for (const redirect of ['manual', 'follow', undefined]) {
      const answer = await network.fetch(`${server.origin}/token`, {
        method: 'POST',
        body: 'code=canary',
        redirect,
      });
      expect(answer.status).toBe(307);
    }
    // D11: named where the caller says so.
    await expect(network.fetch(`${server.origin}/token`, { redirect: 'error' })).rejects.toMatchObject({
      code: 'REDIRECT_REFUSED',
      delivery: 'rejected',
      message: `${server.origin} redirects to another URL of its own; redirects are not followed during sign-in.`,
    });
    expect(server.seen.every(({ url }) => url === '/token')).toBe(true);
  });

  it('serves oauth4webapi as customFetch', async () => {
    await using as = await startHttp((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/.well-known/oauth-authorization-server') {
        response.end(JSON.stringify({ issuer: as.origin, token_endpoint: `${as.origin}/token` }));
      } else
        response.end(JSON.stringify({ access_token: 'token-1', token_type: 'bearer', echo: request.body }));
    });
    await using network = createClient({ url: as.origin });
    const options = {
      [oauth.customFetch]: (url: string, init: Parameters<typeof network.fetch>[1]) =>
        network.fetch(url, init),
      [oauth.allowInsecureRequests]: true,
    };
    const issuer = new URL(as.origin);
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
    // The issuer comes back with the trailing slash of a URL.
    const server = {
      ...((await discovered.json()) as oauth.AuthorizationServer),
      issuer: issuer.href,
    };
    const client = { client_id: 'client-1' };
    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretPost('s'),
      { scope: 'a b' },
      options,
    );
    const token = await oauth.processClientCredentialsResponse(server, client, answer);
    expect(token.access_token).toBe('token-1');
    expect(as.seen[1]?.headers['content-type']).toContain('application/x-www-form-urlencoded');
    expect(new URLSearchParams(as.seen[1]?.body).get('scope')).toBe('a b');
  });

  it('bounds the decoded body to 256 KiB', async () => {
    await using server = await startHttp((request, response) =>
      response.end('x'.repeat(Number(request.url.slice(1)))),
    );
    await using network = createClient({ url: server.origin });
    expect((await (await network.fetch(`${server.origin}/262144`)).text()).length).toBe(262_144);
    await expect(network.fetch(`${server.origin}/262145`)).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
    });
  });

  it('limits the time, also of a slow body, and leaves no timer', async () => {
    const clock = createManualClock();
    let arrived: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (arrived = resolve));
    await using server = await startHttp((request, response) => {
      response.write('drip');
      if (request.url === '/fast') response.end();
      else arrived();
    });
    await using network = createClient({ url: server.origin, clock });
    const slow = network.fetch(`${server.origin}/slow`);
    const caught = slow.catch((error: unknown) => error);
    await reached;
    await clock.advance(29_999);
    await clock.advance(1);
    expect(await caught).toMatchObject({ code: 'TIMEOUT', delivery: 'unknown' });
    await network.fetch(`${server.origin}/fast`);
    expect(clock.pending).toBe(0);
  });

  it('ends with the signal of the caller', async () => {
    await using server = await startHttp(() => undefined);
    await using network = createClient({ url: server.origin });
    const control = new AbortController();
    const pending = network.fetch(server.origin, { signal: control.signal });
    control.abort('enough');
    await expect(pending).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    await expect(network.fetch(server.origin, { signal: control.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  it('hands over status, headers and body as they are, decoded and without cookies', async () => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/204') response.writeHead(204).end();
      else {
        response.writeHead(400, { 'content-type': 'application/json', 'x-a': '1', 'set-cookie': 'a=b' });
        response.end('{"error":"invalid_grant"}');
      }
    });
    await using network = createClient({ url: server.origin });
    const answer = await network.fetch(server.origin);
    expect([answer.status, answer.headers.get('x-a'), await answer.json()]).toEqual([
      400,
      '1',
      { error: 'invalid_grant' },
    ]);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect((await network.fetch(`${server.origin}/204`)).body).toBeNull();
  });

  it('sends configured headers to reads from the configured origin only, without authorization', async () => {
    await using server = await startHttp((_, response) => response.end('{}'));
    await using other = await startHttp((_, response) => response.end('{}'));
    const headers = { 'X-Gateway-Key': 'canary', Authorization: 'Bearer canary' };
    await using network = createClient({ url: server.origin, headers });
    await network.fetch(`${server.origin}/.well-known/oauth-protected-resource`);
    await network.fetch(`${server.origin}/token`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
    await network.fetch(`${other.origin}/.well-known/oauth-authorization-server`);
    const sent = [...server.seen, ...other.seen].map((request) => [
      request.headers['x-gateway-key'],
      request.headers.authorization,
    ]);
    expect(sent).toEqual([
      ['canary', undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(inspect(network, { depth: 9 })).not.toContain('canary');
  });
});
