import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '@mcp-fittings/client-core';
import { createHttpTransport as createFetchTransport } from '@mcp-fittings/transport-http/fetch';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpTransport } from '../src/index.js';

const isWindows = process.platform === 'win32';
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const OTHER_USER = 65_534;

let folder: string;
let listener: Server;
let path: string;
let url: string;
/** `METHOD path host` of each request. */
const requests: string[] = [];
const placeOf = (name: string) =>
  isWindows
    ? {
        path: String.raw`\\.\pipe\fittings-${process.pid}-${name}`,
        url: `pipe:///pipe/fittings-${process.pid}-${name}`,
      }
    : { path: join(folder, name), url: `unix://${folder}/${name}` };

/** A server with a session. `/moved` redirects to it, and `/guarded` requires credentials. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'http-socket-'));
  ({ path, url } = placeOf('mcp.sock'));
  const server = new McpServer({ name: 'on a socket', version: '1' });
  server.registerTool('where', {}, () => ({ content: [{ type: 'text', text: 'here' }] }));
  const sessions = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(sessions);
  listener = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.host}`);
    if (request.url === '/moved') response.writeHead(307, { location: '/mcp?key=a-secret' }).end();
    else if (request.url === '/guarded') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else void sessions.handleRequest(request, response);
  }).listen(path);
  await once(listener, 'listening');
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  listener.close();
  listener.closeAllConnections();
  await rm(folder, { recursive: true });
});

async function failureOf(to: string): Promise<unknown> {
  const transport: Transport = createHttpTransport({ url: to, server: 'local' });
  await transport.start();
  const failure = await transport.send(PING).catch((error: unknown) => error);
  await transport.close();
  return failure;
}

describe('a server on a Unix socket, on Windows on a named pipe', () => {
  it('is used with a session, also behind a redirect, and without the proxy of the environment', async () => {
    const network = { env: { http_proxy: 'http://127.0.0.1:9', no_proxy: '' } };
    const transport = createHttpTransport({ url: `${url}#/moved`, network });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    expect(client.getServerVersion()?.name).toBe('on a socket');
    expect((await client.callTool({ name: 'where' })).content).toEqual([{ type: 'text', text: 'here' }]);
    expect(transport.describe?.()).toMatchObject({ url, session: true });
    await client.close();
    expect(requests).toContain('POST /moved localhost');
    expect(requests.at(-1)).toBe('DELETE /mcp?key=a-secret localhost');
  });

  it('that does not run is named by its socket, and not by the endpoint', async () => {
    const { url: gone } = placeOf('gone.sock');
    const failure = await failureOf(`${gone}#/mcp?key=a-secret`);
    expect(failure).toMatchObject({
      code: 'CONNECTION_REFUSED',
      message: `Connection refused by ${gone}: nothing is listening there.`,
      hint: expect.stringContaining('path of the socket'),
      server: 'local',
      delivery: 'not-sent',
      details: { url: gone },
    });
  });

  it('that requires credentials gets those of its entry, and asks for them', async () => {
    expect(await failureOf(`${url}#/guarded`)).toMatchObject({
      code: 'AUTH_REQUIRED',
      hint: expect.stringContaining('`apiKey`'),
    });
  });

  it('is not reached by `fetch`', () => {
    expect(() => createFetchTransport({ url })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/unsupported scheme (?:unix|pipe):/) as unknown,
      }) as Error,
    );
  });
});

describe.skipIf(isWindows)('a path that', () => {
  it('is not one of a socket is refused', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await failureOf(`unix://${folder}/file`)).toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${folder}/file is not a socket.`,
      server: 'local',
      delivery: 'not-sent',
    });
  });

  it('is one of a socket of another user gets nothing', async () => {
    const before = requests.length;
    const { uid, gid } = await stat(path);
    if (process.geteuid?.() === 0) await chown(path, OTHER_USER, OTHER_USER);
    else vi.spyOn(process, 'geteuid').mockReturnValue(OTHER_USER);
    expect(await failureOf(`${url}#/mcp`)).toMatchObject({
      code: 'POLICY_DENIED',
      message: expect.stringContaining('belongs to another user'),
      hint: expect.any(String),
      server: 'local',
      delivery: 'not-sent',
    });
    expect(requests).toHaveLength(before);
    if (process.geteuid?.() === 0) await chown(path, uid, gid);
  });
});
