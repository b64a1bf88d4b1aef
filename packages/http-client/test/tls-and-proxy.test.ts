import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { createLifetime } from '@mcp-fittings/toolbox/timing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../src/index.js';
import { makeCertificates, type Certificates } from './support/certificates.js';
import { startHttp, startHttps } from './support/http-server.js';
import { startOpensslServer } from './support/openssl-server.js';
import { startProxy } from './support/proxy.js';
import { request } from './support/request.js';

let pki: Certificates;
beforeAll(() => {
  pki = makeCertificates();
});
afterAll(() => pki[Symbol.dispose]());

describe('TLS', () => {
  it('refuses a certificate of an unknown authority, and names the option that helps', async () => {
    await using server = await startHttps(pki.server, (_, response) => response.end('ok'));
    await using network = createHttpClient({ url: server.origin });
    await expect(request(network, { url: new URL(server.origin), method: 'GET' })).rejects.toMatchObject({
      code: 'TLS_FAILED',
      kind: 'network-permanent',
      delivery: 'not-sent',
      hint: expect.stringContaining('`ca`') as unknown,
    });
  });

  it.each(['text', 'file', 'list'])('trusts a private authority given as %s', async (form) => {
    await using server = await startHttps(pki.server, (_, response) => response.end('ok'));
    const ca = form === 'text' ? pki.ca : form === 'file' ? pki.caFile : [pki.ca, pki.caFile];
    await using network = createHttpClient({ url: server.origin, ca });
    expect((await request(network, { url: new URL(server.origin), method: 'GET' })).text()).toBe('ok');
    expect(await (await network.fetch(`${server.origin}/`)).text()).toBe('ok');
  });

  it('refuses a certificate that names another host', async () => {
    await using server = await startHttps(pki.server, (_, response) => response.end('ok'));
    const url = `https://other.test:${server.port}/`;
    await using network = createHttpClient({
      url,
      ca: pki.ca,
      proxy: 'none',
      resolve: () => Promise.resolve(['127.0.0.1']),
    });
    await expect(request(network, { url: new URL(url), method: 'GET' })).rejects.toMatchObject({
      code: 'TLS_FAILED',
      delivery: 'not-sent',
    });
  });

  it('shows the client certificate to the configured origin, and to no other', async () => {
    const shown: unknown[] = [];
    const settings = { ...pki.server, ca: pki.ca, requestCert: true, rejectUnauthorized: false };
    const subject = (socket: unknown): unknown => (socket as TLSSocket).getPeerCertificate().subject?.CN;
    await using server = await startHttps(settings, (_, response) => {
      shown.push(subject(response.socket));
      response.end('ok');
    });
    await using other = await startHttps(settings, (_, response) => {
      shown.push(subject(response.socket));
      response.end('ok');
    });
    await using network = createHttpClient({
      url: server.origin,
      ca: pki.caFile,
      clientCertificate: { cert: pki.client.cert, key: pki.encryptedKey, passphrase: pki.passphrase },
    });
    await request(network, { url: new URL(server.origin), method: 'GET' });
    await network.fetch(`${other.origin}/`);
    expect(shown).toEqual(['client', undefined]);
  });

  it('a server that wants a certificate and gets none has refused the request', async () => {
    // Node's server ends the connection without a word; OpenSSL's says why.
    await using server = await startOpensslServer(pki);
    await using network = createHttpClient({ url: server.origin, ca: pki.ca });
    await expect(
      request(network, { url: new URL(server.origin), method: 'POST', body: '{}' }),
    ).rejects.toMatchObject({
      code: 'TLS_FAILED',
      delivery: 'rejected',
    });
    await using known = createHttpClient({ url: server.origin, ca: pki.ca, clientCertificate: pki.client });
    expect((await request(known, { url: new URL(server.origin), method: 'GET' })).text()).toContain(
      's_server',
    );
  });

  it('CONFIG_INVALID names the invalid option, not its value', async () => {
    const url = 'https://localhost:1/';
    const broken = join(pki.folder, 'broken.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n');
    const { cert, key } = pki.client;
    const cases = [
      [{ ca: '/no/such/file.pem' }, '`ca`'],
      [{ ca: broken }, '`ca`'],
      [{ ca: join(pki.folder, 'server.key') }, '`ca`'],
      [{ clientCertificate: { cert, key: '/no/such/file.pem' } }, '`clientCertificate.key`'],
      [{ clientCertificate: { cert, key: pki.encryptedKey, passphrase: 'canary' } }, '`clientCertificate`'],
      [{ clientCertificate: { cert: pki.server.cert, key } }, '`clientCertificate`'],
    ] as const;
    for (const [options, named] of cases) {
      await using network = createHttpClient({ url, ...options, server: 'one' });
      const failed: unknown = await request(network, { url: new URL(url), method: 'GET' }).catch(
        (error: unknown) => error,
      );
      expect(failed).toMatchObject({
        code: 'CONFIG_INVALID',
        server: 'one',
        message: expect.stringContaining(named) as unknown,
      });
      expect(inspect(failed)).not.toContain('canary');
    }
  });
});

describe('a proxy', () => {
  it('is sent plain http in absolute form, under a name that only it can resolve', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    await using proxy = await startProxy({ hosts: { 'mcp.test': '127.0.0.1' } });
    const url = `http://mcp.test:${server.port}/mcp?q=1`;
    await using network = createHttpClient({ url, proxy: proxy.url });
    expect((await request(network, { url: new URL(url), method: 'POST', body: 'x' })).text()).toBe('ok');
    expect(proxy.lines).toEqual([`POST ${url}`]);
    expect(server.seen[0]).toMatchObject({ url: '/mcp?q=1', body: 'x' });
    expect(server.seen[0]?.headers.host).toBe(`mcp.test:${server.port}`);
  });

  it('sees nothing of a request that ended before the way to it was open', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    await using proxy = await startProxy();
    const url = new URL(server.origin);
    const open = async (): Promise<HttpClient> => {
      const client = createHttpClient({ url, proxy: proxy.url });
      await client.load();
      return client;
    };
    await using aborting = await open();
    const lifetime = createLifetime();
    const abandoned = aborting.send({ url, method: 'DELETE' }, lifetime, () => 'discard');
    lifetime.end();
    expect(await abandoned).toBeUndefined();
    const closing = await open();
    const refused = request(closing, { url, method: 'DELETE' });
    await Promise.all([
      expect(refused).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'not-sent' }),
      closing.close(),
    ]);

    // The proxy would have accepted their connections before this one.
    await using other = await open();
    expect((await request(other, { url, method: 'GET' })).text()).toBe('ok');
    expect(proxy.lines).toEqual([`GET ${url.href}`]);
    expect(proxy.connections()).toBe(1);
  });

  it('tunnels https, and the certificate of the server is checked at the end of the tunnel', async () => {
    await using server = await startHttps(pki.server, (_, response) => response.end('ok'));
    await using proxy = await startProxy({ hosts: { 'mcp.test': '127.0.0.1', 'other.test': '127.0.0.1' } });
    const ask = async (host: string) => {
      const url = `https://${host}:${server.port}/`;
      await using network = createHttpClient({ url, proxy: proxy.url, ca: pki.ca });
      return (await request(network, { url: new URL(url), method: 'GET' })).text();
    };
    expect(await ask('mcp.test')).toBe('ok');
    expect(proxy.lines).toEqual([`CONNECT mcp.test:${server.port}`]);
    await expect(ask('other.test')).rejects.toMatchObject({ code: 'TLS_FAILED', delivery: 'not-sent' });
  });

  it.each([
    ['HTTP_PROXY', 'http'],
    ['https_proxy', 'https'],
  ])('is found in %s', async (name, scheme) => {
    await using proxy = await startProxy({ hosts: { 'mcp.test': '127.0.0.1' } });
    const answer = (_: unknown, response: { end(text: string): void }) => response.end('ok');
    await using server = scheme === 'http' ? await startHttp(answer) : await startHttps(pki.server, answer);
    const url = `${scheme}://mcp.test:${server.port}/`;
    const env = { [name]: proxy.url };
    {
      await using network = createHttpClient({ url, env, ca: pki.ca });
      expect((await request(network, { url: new URL(url), method: 'GET' })).text()).toBe('ok');
      expect(proxy.lines).toHaveLength(1);
    }
    {
      const resolve = () => Promise.resolve(['127.0.0.1']);
      await using direct = createHttpClient({
        url,
        env: { ...env, NO_PROXY: 'mcp.test' },
        ca: pki.ca,
        resolve,
      });
      expect((await request(direct, { url: new URL(url), method: 'GET' })).text()).toBe('ok');
      expect(proxy.lines).toHaveLength(1);
    }
  });

  it('serves sign-in as well', async () => {
    await using server = await startHttps(pki.server, (_, response) => response.end('ok'));
    await using proxy = await startProxy({ hosts: { 'mcp.test': '127.0.0.1' } });
    await using network = createHttpClient({ url: 'https://example.com/', proxy: proxy.url, ca: pki.ca });
    expect(await (await network.fetch(`https://mcp.test:${server.port}/token`)).text()).toBe('ok');
    // What it would resolve we can't see; addresses written out are refused here.
    await expect(network.fetch('https://169.254.169.254/')).rejects.toMatchObject({
      code: 'ADDRESS_BLOCKED',
    });
  });

  it.each(['http', 'https'])('is given its user name and password, for %s', async (scheme) => {
    await using proxy = await startProxy({
      hosts: { 'mcp.test': '127.0.0.1' },
      credentials: 'us er:canary%',
    });
    const answer = (_: unknown, response: { end(text: string): void }) => response.end('ok');
    await using server = scheme === 'http' ? await startHttp(answer) : await startHttps(pki.server, answer);
    const url = `${scheme}://mcp.test:${server.port}/`;
    const { host } = new URL(proxy.url);
    await using network = createHttpClient({ url, proxy: `http://us%20er:canary%25@${host}`, ca: pki.ca });
    expect((await request(network, { url: new URL(url), method: 'GET' })).text()).toBe('ok');
    expect(server.seen[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it.each(['http', 'https'])(
    'PROXY_FAILED when it refuses the credentials, for %s; they are not shown',
    async (scheme) => {
      await using proxy = await startProxy({ credentials: 'user:right' });
      const url = `${scheme}://mcp.test/`;
      const { host } = new URL(proxy.url);
      await using network = createHttpClient({ url, proxy: `http://user:canary@${host}` });
      const failed: unknown = await request(network, { url: new URL(url), method: 'POST', body: 'x' }).catch(
        (error: unknown) => error,
      );
      expect(failed).toMatchObject({
        code: 'PROXY_FAILED',
        hint: expect.stringContaining('password') as unknown,
      });
      expect(failed).toMatchObject({ delivery: scheme === 'https' ? 'not-sent' : 'rejected' });
      expect(inspect(failed, { depth: 9 })).not.toContain('canary');
    },
  );

  it('PROXY_FAILED when the proxy refuses the connection or does not answer in time', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    await using silent = await startProxy({ silent: true });
    for (const proxy of [`http://127.0.0.1:${port}`, silent.url]) {
      await using network = createHttpClient({
        url: 'https://mcp.test/',
        proxy,
        timeouts: { connectMs: 500 },
      });
      await expect(
        request(network, { url: new URL('https://mcp.test/'), method: 'GET' }),
      ).rejects.toMatchObject({
        code: 'PROXY_FAILED',
        delivery: 'not-sent',
      });
    }
  });
});
