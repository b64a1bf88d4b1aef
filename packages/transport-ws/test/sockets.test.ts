import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { createWebSocketTransport } from '../src/index.js';
import { client } from './support/clients.js';
import { serveV1, TOKEN } from './support/mcp-server.js';

const OTHER_USER = 65_534;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ws-socket-'));
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => rm(folder, { recursive: true }));

describe.skipIf(process.platform === 'win32')('a server on a Unix socket', () => {
  it('is used, without a proxy', async () => {
    const path = join(folder, 'mcp.sock');
    const server = createServer();
    const sockets = createWebSocketServer({ server, path: '/mcp', token: TOKEN, onConnection: serveV1 });
    await once(server.listen(path), 'listening');
    const network = { proxy: 'http://127.0.0.1:9' };
    const transport = createWebSocketTransport({ url: `unix://${path}#/mcp`, apiKey: TOKEN, network });
    const user = new Client({ name: 'test', version: '1' });
    await user.connect(transport);
    const { content } = await user.callTool({ name: 'count', arguments: { to: 3 } });
    expect(content).toEqual([{ type: 'text', text: 'counted to 3' }]);
    expect(transport.describe?.()).toMatchObject({ url: `unix://${path}`, proxy: undefined });
    await user.close();

    if (process.geteuid?.() === 0) await chown(path, OTHER_USER, OTHER_USER);
    else vi.spyOn(process, 'geteuid').mockReturnValue(OTHER_USER);
    expect(await failureOf(client(`unix://${path}#/mcp`).transport.start())).toMatchObject({
      code: 'POLICY_DENIED',
      message: expect.stringContaining('belongs to another user'),
    });
    await sockets.close();
    server.close();
  });

  it('that is not there, or is not a socket, is named', async () => {
    const gone = `unix://${folder}/gone.sock`;
    expect(await failureOf(client(`${gone}#/mcp?key=a-secret`).transport.start())).toMatchObject({
      code: 'CONNECTION_REFUSED',
      message: `Connection refused by ${gone}: nothing is listening there.`,
      hint: expect.stringContaining('path of the socket'),
      details: { url: gone },
    });
    await writeFile(join(folder, 'file'), '');
    expect(await failureOf(client(`unix://${folder}/file`).transport.start())).toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${folder}/file is not a socket.`,
    });
  });
});
