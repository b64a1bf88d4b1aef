import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates, type Certificates } from '../../http-client/test/support/certificates.js';
import { codesOf, diagnoseEntry } from './support/diagnose-server.js';
import { everythingServer } from '../../../scripts/everything-server.js';
import { freePort } from '../../../scripts/free-port.mjs';
import { always, HTML, mcp, plant } from './support/planted-server.js';
import { bridge, TOKEN } from './support/upstreams.js';

const outcomes = (diagnosis: Awaited<ReturnType<typeof diagnoseEntry>>) =>
  diagnosis.checks.map(({ check, outcome }) => `${check} ${outcome}`);

describe('a remote server', () => {
  it('that works: every check in its order', async () => {
    await using server = await plant();
    const diagnosis = await diagnoseEntry({ url: server.url });
    expect(diagnosis).toMatchObject({ healthy: true, findings: [] });
    expect(outcomes(diagnosis)).toEqual(
      ['config', 'approval', 'dns', 'proxy', 'connect', 'clock', 'http', 'token', 'handshake'].map(
        (check) => `${check} passed`,
      ),
    );
  });

  it.skipIf(process.platform === 'win32')('on a Unix socket has no host name, proxy or TLS', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-socket-'));
    const url = `unix://${folder}/mcp.sock`;
    const server = createServer(mcp()).listen(join(folder, 'mcp.sock'));
    await once(server, 'listening');
    const diagnosis = await diagnoseEntry({ type: 'http', url: `${url}#/mcp` });
    expect(diagnosis).toMatchObject({ healthy: true, findings: [] });
    expect(diagnosis.checks.find(({ check }) => check === 'connect')?.summary).toBe(url);
    expect(outcomes(diagnosis)).toEqual(
      ['config', 'approval', 'connect', 'clock', 'http', 'handshake'].map((check) => `${check} passed`),
    );
    server.close();
    server.closeAllConnections();
    const gone = await diagnoseEntry({ type: 'http', url: `${url}#/mcp` });
    expect(codesOf(gone)).toEqual(['connect CONNECTION_REFUSED']);
    expect(gone.findings[0]?.message).toContain(url);
    await rm(folder, { recursive: true });
  });

  it('connection refused', async () => {
    const diagnosis = await diagnoseEntry({ url: `http://127.0.0.1:${await freePort()}/mcp` });
    expect(codesOf(diagnosis)).toEqual(['connect CONNECTION_REFUSED']);
    expect(outcomes(diagnosis).slice(2)).toEqual(['dns passed', 'proxy passed', 'connect failed']);
  });

  it('a DNS name that cannot be resolved', async () => {
    // Longer than a name can be: no name server has to be asked.
    const diagnosis = await diagnoseEntry({ url: `https://${'a'.repeat(64)}.example/mcp` });
    expect(codesOf(diagnosis)).toEqual(['dns HOST_NOT_FOUND']);
    expect(outcomes(diagnosis).at(-1)).toBe('dns failed');
  });

  it('a wrong proxy, by entry and by environment', async () => {
    await using server = await plant();
    const proxy = `http://127.0.0.1:${await freePort()}`;
    const named = await diagnoseEntry({ url: server.url, proxy });
    expect(codesOf(named)).toEqual(['proxy PROXY_WRONG']);
    const env = { HTTPS_PROXY: proxy };
    const inherited = await diagnoseEntry({ url: 'https://mcp.example/mcp' }, { env });
    expect(codesOf(inherited)).toEqual(['proxy PROXY_WRONG']);
  });

  it('a proxy whose name cannot be resolved', async () => {
    await using server = await plant();
    const diagnosis = await diagnoseEntry({ url: server.url, proxy: `http://${'p'.repeat(64)}:3128` });
    expect(codesOf(diagnosis)).toEqual(['dns HOST_NOT_FOUND']);
    expect(diagnosis.findings[0]?.message).toContain('proxy');
  });

  it('a path where nothing is', async () => {
    await using server = await plant(always(404, 'not here'));
    const diagnosis = await diagnoseEntry({ url: server.url });
    expect(codesOf(diagnosis)).toEqual(['http ENDPOINT_NOT_FOUND']);
  });

  it('a web page in place of MCP', async () => {
    await using server = await plant(always(...HTML));
    expect(codesOf(await diagnoseEntry({ url: server.url }))).toEqual(['http NOT_MCP']);
  });

  it('a redirect to another host', async () => {
    await using server = await plant(always(308, '', { location: 'https://elsewhere.example/mcp' }));
    const diagnosis = await diagnoseEntry({ url: server.url });
    expect(codesOf(diagnosis)).toEqual(['http REDIRECTED']);
    expect(JSON.stringify(diagnosis.findings)).toContain('elsewhere.example');
  });

  it.each([
    [500, 'SERVER_ERROR'],
    [429, 'RATE_LIMITED'],
    [403, 'REQUEST_REFUSED'],
  ])('status %i', async (status, code) => {
    await using server = await plant(always(status, 'no'));
    const entry = { url: server.url, headers: { authorization: 'Bearer from-the-config' } };
    expect(codesOf(await diagnoseEntry(entry, { timeoutMs: 4_000 }))).toEqual([`http ${code}`]);
  });

  it('status 429 with an hour to wait, which the transport does', async () => {
    await using server = await plant(always(429, 'later', { 'retry-after': '3600' }));
    const diagnosis = await diagnoseEntry({ url: server.url }, { timeoutMs: 1_500 });
    expect(codesOf(diagnosis)).toEqual(['http RATE_LIMITED']);
  });

  it('an SSE-only endpoint given as http', async () => {
    await using server = await everythingServer('sse');
    const { url } = server;
    const wrong = await diagnoseEntry({ type: 'http', url });
    expect(codesOf(wrong)).toEqual(['http TRANSPORT_TYPE_WRONG']);
    expect(wrong).toMatchObject({ healthy: true, findings: [{ severity: 'warning', fix: /"type": "sse"/ }] });
    expect(codesOf(await diagnoseEntry({ type: 'sse', url }))).toEqual([]);
  });

  it('a WebSocket server: with its token, without it, and not there', async () => {
    const served = await bridge();
    const entry = { type: 'ws', url: served.url };
    const good = await diagnoseEntry({ ...entry, apiKey: TOKEN });
    expect(good).toMatchObject({ healthy: true, findings: [] });
    expect(codesOf(await diagnoseEntry({ ...entry, apiKey: 'another token entirely' }))).toEqual([
      'token CREDENTIALS_REFUSED',
    ]);
    await served.close();
    expect(codesOf(await diagnoseEntry({ ...entry, apiKey: TOKEN }))).toEqual(['connect CONNECTION_REFUSED']);
  });

  it('a clock that is hours off, by the Date header', async () => {
    await using server = await plant();
    const clock = { ...systemClock, now: () => Date.now() + 3 * 3_600_000 };
    const diagnosis = await diagnoseEntry({ url: server.url }, { clock });
    expect(codesOf(diagnosis)).toEqual(['clock CLOCK_WRONG']);
    expect(diagnosis.findings[0]).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('180 minutes ahead'),
    });
  });

  it.each([
    [120_000, [], '120 s apart'],
    [121_000, ['clock CLOCK_WRONG'], ''],
  ])('a clock that is %s ms off, where two minutes are tolerated', async (offset, codes, summary) => {
    const sentAt = Date.parse('2026-01-01T00:00:00Z');
    const serve = mcp();
    await using server = await plant((request, response) => {
      response.setHeader('date', new Date(sentAt).toUTCString());
      serve(request, response);
    });
    const clock = { ...systemClock, now: () => sentAt + offset };
    const diagnosis = await diagnoseEntry({ url: server.url }, { clock });
    expect(codesOf(diagnosis)).toEqual(codes);
    expect(diagnosis.checks.find(({ check }) => check === 'clock')).toMatchObject({ summary });
  });

  it('an unknown protocol revision', async () => {
    await using server = await plant((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string };
        if (method === undefined) return void response.writeHead(405).end();
        const result = {
          protocolVersion: '1999-12-31',
          capabilities: {},
          serverInfo: { name: 'o', version: '1' },
        };
        const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    });
    const diagnosis = await diagnoseEntry({ url: server.url });
    expect(codesOf(diagnosis)).toEqual(['handshake VERSION_UNSUPPORTED']);
    expect(diagnosis.findings[0]?.message).toContain('1999-12-31');
  });

  it('credentials in the entry that the server refuses', async () => {
    await using server = await plant(always(401, 'no', { 'www-authenticate': 'Bearer' }));
    const secret = 'canary-0123456789';
    const diagnosis = await diagnoseEntry({ url: server.url, apiKey: secret });
    expect(codesOf(diagnosis)).toEqual(['token CREDENTIALS_REFUSED']);
    expect(JSON.stringify(diagnosis)).not.toContain(secret);
  });
});

describe('TLS', () => {
  let pki: Certificates;
  beforeAll(() => {
    pki = makeCertificates();
  });
  afterAll(() => pki[Symbol.dispose]());

  it('a good certificate of an authority that the entry names', async () => {
    await using server = await plant(undefined, pki.server);
    const diagnosis = await diagnoseEntry({ url: server.url, ca: pki.ca });
    expect(codesOf(diagnosis)).toEqual([]);
    expect(outcomes(diagnosis)).toContain('tls passed');
  });

  it.each([
    ['self-signed', () => pki.authority, false, 'CERTIFICATE_SELF_SIGNED'],
    ['expired', () => pki.sign('expired', 'subjectAltName=IP:127.0.0.1', 0), true, 'CERTIFICATE_EXPIRED'],
    [
      'for another host',
      () => pki.sign('other', 'subjectAltName=DNS:other.example'),
      true,
      'CERTIFICATE_WRONG_HOST',
    ],
    ['of an unknown authority', () => pki.server, false, 'CERTIFICATE_UNTRUSTED'],
  ])('a certificate that is %s', async (_what, identity, isKnown, code) => {
    await using server = await plant(undefined, identity());
    const diagnosis = await diagnoseEntry({ url: server.url, ...(isKnown && { ca: pki.ca }) });
    expect(codesOf(diagnosis)).toEqual([`tls ${code}`]);
    expect(outcomes(diagnosis).slice(2)).toEqual([
      'dns passed',
      'proxy passed',
      'connect passed',
      'tls failed',
    ]);
  });

  it('https to a port that speaks http', async () => {
    await using server = await plant();
    const diagnosis = await diagnoseEntry({ url: server.url.replace('http:', 'https:') });
    expect(codesOf(diagnosis)).toEqual(['tls TLS_FAILED']);
  });
});
