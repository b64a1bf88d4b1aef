import { spawn } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { afterEach, describe, expect, it } from 'vitest';
import { parseListenAddress } from '../src/bridge/listen-address.js';
import { serveNetwork, type NetworkBridge, type ServeNetworkOptions } from '../src/bridge/serve-network.js';
import { untilDead } from './support/processes.js';
import { DUAL_SERVER, upstreamTo } from './support/upstreams.js';

const TOKEN = 'a token that is not guessed';
const SIGNED = { headers: { authorization: `Bearer ${TOKEN}` } };
const LOOPBACK = { host: '127.0.0.1', port: 0 };
const bridges: NetworkBridge[] = [];

async function bridge(options: Partial<ServeNetworkOptions> = {}): Promise<NetworkBridge> {
  const served = await serveNetwork({
    open: upstreamTo(),
    address: LOOPBACK,
    wire: 'http',
    token: TOKEN,
    clock: systemClock,
    ...options,
  });
  bridges.push(served);
  return served;
}

afterEach(async () => {
  await Promise.all(bridges.splice(0).map((served) => served.close()));
});

/** As Node sends it: `fetch` does not send another Host. With the token, unless the headers say otherwise. */
function ask(url: string, headers: Record<string, string | undefined>, body?: string): Promise<number> {
  const sent = Object.fromEntries(
    Object.entries({ authorization: `Bearer ${TOKEN}`, ...headers }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      url,
      { method: body === undefined ? 'GET' : 'POST', headers: sent },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    asked.once('error', reject);
    asked.end(body);
  });
}

const MESSAGE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join();

describe('who may connect', () => {
  it.each([
    ['another name in Host (DNS rebinding)', { host: 'evil.example' }, 403],
    ['a name that only begins like ours', { host: 'localhost.evil.example' }, 403],
    ['an invalid Host', { host: 'a b' }, 403],
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['a page of no origin', { origin: 'null' }, 403],
    ['a page of this machine that is not allowed', { origin: 'http://localhost:3000' }, 403],
    ['the allowed page', { origin: 'https://app.example' }, 400],
    ['no Origin at all', {}, 400],
  ])('%s', async (_who, headers, status) => {
    const { url } = await bridge({ allowedOrigins: ['https://app.example'] });
    expect(await ask(url, { ...JSON_BODY, ...headers }, MESSAGE)).toBe(status);
  });

  it('wants the token when there is one, also from the allowed page', async () => {
    const { url } = await bridge({ token: TOKEN, allowedOrigins: ['https://app.example'] });
    const with_ = (authorization: string) => ask(url, { ...JSON_BODY, authorization }, MESSAGE);
    const none = { authorization: undefined };
    expect(await ask(url, { ...JSON_BODY, ...none }, MESSAGE)).toBe(401);
    expect(await ask(url, { ...JSON_BODY, ...none, origin: 'https://app.example' }, MESSAGE)).toBe(401);
    expect(await with_(`Bearer ${TOKEN}x`)).toBe(401);
    expect(await with_(`Basic ${TOKEN}`)).toBe(401);
    expect(await with_(`bearer ${TOKEN}`)).toBe(400);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    await client.close();
  });

  it('does not serve others than this machine without a token and a name', async () => {
    const address = { host: '0.0.0.0', port: 0 };
    const refused = { code: 'CONFIG_INVALID' };
    await expect(bridge({ address, token: undefined })).rejects.toMatchObject(refused);
    await expect(bridge({ address, token: TOKEN })).rejects.toMatchObject(refused);
    await expect(
      bridge({ address, token: undefined, allowedHosts: ['bridge.example'] }),
    ).rejects.toMatchObject(refused);
    const served = await bridge({ address, token: TOKEN, allowedHosts: ['bridge.example'] });
    const { port } = new URL(served.url);
    const headers = { ...JSON_BODY, authorization: `Bearer ${TOKEN}`, host: 'bridge.example' };
    expect(await ask(`http://127.0.0.1:${port}/mcp`, headers, MESSAGE)).toBe(400);
  });

  it.each([
    ['127.0.0.1', 'http'],
    ['localhost', 'http'],
    ['::1', 'http'],
    ['127.0.0.1', 'ws'],
  ] as const)('does not listen at %s over %s without a token', async (host, wire) => {
    await expect(bridge({ address: { host, port: 0 }, wire, token: undefined })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it('refuses another user of the machine, who has no token, on loopback', async () => {
    const { url } = await bridge();
    for (const authorization of [undefined, 'Bearer ', 'Bearer guess', `Basic ${TOKEN}`]) {
      expect(await ask(url, { ...JSON_BODY, authorization }, MESSAGE)).toBe(401);
    }
  });

  it('takes the name of the scheme in any case', async () => {
    const { url } = await bridge();
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      expect(await ask(url, { ...JSON_BODY, authorization: `${scheme} ${TOKEN}` }, MESSAGE)).toBe(400);
  });

  it('serves a Unix socket without a token, with mode 0600', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bridge-'));
    const socketPath = join(folder, 'b.sock');
    const { url } = await bridge({ address: { socketPath }, token: undefined });
    expect(url).toBe(`unix:${socketPath}`);
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    const status = await new Promise((resolve, reject) => {
      const options = {
        socketPath,
        path: '/mcp',
        method: 'POST',
        headers: { ...JSON_BODY, host: 'localhost' },
      };
      const asked = httpRequest(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once('error', reject).end(MESSAGE);
    });
    expect(status).toBe(400);
    await expect(bridge({ address: { socketPath }, token: undefined })).rejects.toThrow(
      'Another process listens on',
    );
    await rm(folder, { recursive: true, force: true });
  });

  it('serves its path and nothing else', async () => {
    const { url } = await bridge({ path: '/tools' });
    expect(url.endsWith('/tools')).toBe(true);
    expect(await ask(url, JSON_BODY, MESSAGE)).toBe(400);
    expect(await ask(new URL('/mcp', url).href, JSON_BODY, MESSAGE)).toBe(404);
  });

  it.each([
    ['a body that is not JSON', '{', 400],
    ['a body that is not a message', '{"a":1}', 400],
    ['an unknown session', MESSAGE, 404, { 'mcp-session-id': 'made-up' }],
    ['a body that is not declared as JSON', MESSAGE, 415, { 'content-type': 'text/plain' }],
    ['a header that contradicts the body', modern(), 400, { 'mcp-protocol-version': '2025-11-25' }],
  ] as [string, string, number, Record<string, string>?][])(
    'refuses %s',
    async (_what, body, status, headers = {}) => {
      const { url } = await bridge();
      expect(await ask(url, { ...JSON_BODY, ...headers }, body)).toBe(status);
    },
  );

  it('refuses more sessions than it may have', async () => {
    const { url } = await bridge({ maxClients: 1 });
    const connect = async (): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: SIGNED }));
      return client;
    };
    const one = await connect();
    await expect(connect()).rejects.toThrow('maximum number of sessions');
    await (one.transport as StreamableHTTPClientTransport).terminateSession();
    await (await connect()).close();
    await one.close();
  });

  it('says that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(bridge({ address: { host: '127.0.0.1', port } })).rejects.toThrow(
      `The bridge cannot listen on 127.0.0.1:${port}.`,
    );
    other.close();
  });
});

function modern(): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
}

describe('where it listens', () => {
  it.each([
    ['8080', { host: '127.0.0.1', port: 8080 }],
    ['0.0.0.0:1', { host: '0.0.0.0', port: 1 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['unix:/run/user/1000/b.sock', { socketPath: '/run/user/1000/b.sock' }],
  ])('%s', (text, address) => {
    expect(parseListenAddress(text)).toEqual(address);
  });

  it.each(['', 'unix:', 'unix:b.sock', 'here', '127.0.0.1', '1:', '65536', '-1', '1e3'])(
    'not at "%s"',
    (text) => {
      expect(() => parseListenAddress(text)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});

describe('a stdio server over WebSocket', () => {
  it('serves each client by a process of its own, and ends it with the connection', async () => {
    const { url } = await bridge({ wire: 'ws', token: TOKEN });
    const connect = async (): Promise<ClientV1> => {
      const client = new ClientV1({ name: 'test', version: '1' });
      await client.connect(createWebSocketTransport({ url, apiKey: TOKEN }));
      return client;
    };
    const [one, two] = await Promise.all([connect(), connect()]);
    const pids = await Promise.all(
      [one, two].map(async (client) => Number(textOf(await client.callTool({ name: 'pid', arguments: {} })))),
    );
    expect(pids[0]).not.toBe(pids[1]);
    await one.close();
    await untilDead(pids[0] ?? 0);
    expect(textOf(await two.callTool({ name: 'add', arguments: { a: 2, b: 2 } }))).toBe('4');
    await expect(two.callTool({ name: 'die', arguments: {} })).rejects.toThrow('exited with code 3');
    expect(textOf(await two.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))).toBe('5');
    await two.close();
  });

  it('tries again when the client does, where the server could not be started', async () => {
    let config: { type: string; command: string; args?: string[] } = {
      type: 'stdio',
      command: 'no-such-command',
    };
    const { url } = await bridge({ wire: 'ws', token: TOKEN, open: () => upstreamTo({ config })() });
    const client = createWebSocketTransport({ url, apiKey: TOKEN });
    const seen: unknown[] = [];
    client.onmessage = (message) => void seen.push(message);
    await client.start();
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const initialize = (id: number) => client.send({ jsonrpc: '2.0', id, method: 'initialize', params });
    await initialize(1);
    config = { type: 'stdio', command: process.execPath, args: [DUAL_SERVER] };
    await initialize(2);
    expect(seen).toMatchObject([
      { id: 1, error: { data: { code: 'COMMAND_NOT_FOUND' } } },
      { id: 2, result: { serverInfo: { name: 'dual legacy' } } },
    ]);
    await client.close();
  });

  it('wants a token in any case', async () => {
    await expect(bridge({ wire: 'ws', token: undefined })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const { url } = await bridge({ wire: 'ws', token: TOKEN });
    const stranger = createWebSocketTransport({ url });
    await expect(stranger.start()).rejects.toMatchObject({ kind: 'auth' });
  });
});

describe('a Unix socket', () => {
  const folderOf = async (mode: number): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'fittings-socket-'));
    await chmod(folder, mode);
    return folder;
  };

  it.each([
    ['others', 0o707],
    ['a group', 0o770],
  ])('is not created in a folder that %s can change, or below one', async (_who, mode) => {
    for (const wire of ['http', 'ws'] as const) {
      const folder = await folderOf(mode);
      const inner = join(folder, 'inner');
      await mkdir(inner, { mode: 0o700 });
      for (const path of [join(folder, 's'), join(inner, 's')]) {
        await expect(bridge({ wire, address: { socketPath: path } })).rejects.toMatchObject({
          code: 'CONFIG_INVALID',
          message: expect.stringContaining('Another user could replace the socket'),
        });
      }
      await rm(folder, { recursive: true });
    }
  });

  it('is removed with the bridge, and replaces one on which nothing listens', async () => {
    const folder = await folderOf(0o700);
    const socketPath = join(folder, 's');
    const killed = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    await once(killed, 'close');
    expect((await stat(socketPath)).isSocket()).toBe(true);
    const served = await bridge({ address: { socketPath } });
    await expect(bridge({ address: { socketPath } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    await served.close();
    await expect(stat(socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
    await rm(folder, { recursive: true });
  });
});
