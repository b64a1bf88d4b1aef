import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { openConfigured } from '../../preset/test/support/workspace.js';
import { describe, expect, it } from 'vitest';
import { scriptedPerson } from '../../auth-oauth/test/support/authorization-server.mjs';
import { scripted } from '../../auth-oauth/test/support/world.js';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';
import { BIN, environment, startBridge, withServer } from './support/bridge-process.js';
import { isRunning, untilDead } from '../../transport-stdio/test/support/processes.js';
import { startProtectedServer, type ProtectedServer } from './support/protected-server.js';
import { DUAL_SERVER, textOf } from './support/upstreams.js';

const dual = (flags: readonly string[] = [], env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [DUAL_SERVER, ...flags],
  env,
});
const request = (id: number, method: string, params: unknown = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const initialize = request(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const answers = (id: number) => (message: Record<string, unknown>) => message['id'] === id;
const callTool = (id: number, name: string, args: unknown = {}) =>
  request(id, 'tools/call', { name, arguments: args });

/** Signs in as a person would with `fittings login`, into the store of that home. */
async function signInto(server: ProtectedServer, home: string): Promise<void> {
  await using session = await openConfigured({
    cwd: home,
    home,
    env: {},
    mcpConfig: [JSON.stringify({ mcpServers: { protected: { url: server.url } } })],
    strictMcpConfig: true,
    store: 'file',
    plaintextConsent: async () => true,
    interaction: scripted(),
  });
  await session.host.connect(session.loaded.servers);
  await session.host.signIn('protected');
}

/** A client of SDK v1 over stdio, which knows nothing of HTTP and OAuth. */
async function stdioClient(
  args: readonly string[],
  home: string,
  onStderr: (text: string) => void = () => undefined,
): Promise<ClientV1> {
  const client = new ClientV1({ name: 'stdio only', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, ...args],
    env: environment(home),
    cwd: home,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => onStderr(chunk.toString()));
  await client.connect(transport);
  return client;
}

describe('a remote server for a client of SDK v1 that speaks only stdio', () => {
  it('reaches a signed-in HTTP server, refreshes its token, and does not reveal it', async () => {
    await using server = await startProtectedServer();
    await using home = await temporaryDirectory();
    await signInto(server, home.path);
    const args = [...withServer('protected', { url: server.url }), '--store', 'file', 'bridge', 'protected'];
    let said = '';
    const client = await stdioClient(['--verbose', ...args], home.path, (text) => (said += text));
    expect(client.getServerVersion()?.name).toBe('protected');
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } }))).toBe('42');
    const [old = ''] = server.shown;
    server.dead.add(old);
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }))).toBe('3');
    expect(server.shown.size).toBe(2);
    await client.close();
    for (const token of server.shown) expect(said).not.toContain(token);
  });

  it('several instances share one sign-in, and one refresh', async () => {
    await using server = await startProtectedServer();
    await using home = await temporaryDirectory();
    await signInto(server, home.path);
    const args = [...withServer('protected', { url: server.url }), '--store', 'file', 'bridge', 'protected'];
    const clients = await Promise.all(Array.from({ length: 3 }, () => stdioClient(args, home.path)));
    const call = (client: ClientV1) => client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
    await Promise.all(clients.map(call));
    const refreshes = () =>
      server.authorizationServer.tokenRequests.filter(({ grant }) => grant === 'refresh_token');
    expect(refreshes()).toHaveLength(0);
    for (const token of server.shown) server.dead.add(token);
    const results = await Promise.all(clients.map(call));
    expect(results.map(textOf)).toEqual(['3', '3', '3']);
    expect(refreshes().map(({ status }) => status)).toEqual([200]);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('is told what to do before a sign-in', async () => {
    await using server = await startProtectedServer();
    await using home = await temporaryDirectory();
    const args = [
      ...withServer('protected', { url: server.url }),
      '--store',
      'memory',
      'bridge',
      'protected',
    ];
    const bridge = startBridge(args, home.path);
    bridge.send(initialize);
    const { error } = await bridge.next(answers(1));
    expect(error).toMatchObject({
      message: expect.stringContaining('fittings login protected'),
      data: { code: 'AUTH_REQUIRED', kind: 'auth' },
    });
    bridge.child.stdin.end();
    expect(await bridge.exited).toBe(0);
  });

  it('signs in where there is no browser, by a code on stderr', async () => {
    await using server = await startProtectedServer();
    await using home = await temporaryDirectory();
    const remote = { CI: 'false', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' };
    const bridge = startBridge(['--store', 'memory', 'bridge', server.url], home.path, remote);
    bridge.send(initialize);
    let shown: RegExpExecArray | null = null;
    while (shown === null) {
      await once(bridge.child.stderr, 'data');
      shown = /open (\S+) and enter (\S+)/.exec(bridge.stderr);
    }
    const [, page = '', code = ''] = shown;
    await scriptedPerson(`${page}?user_code=${code}`);
    // The request that led to the sign-in is answered after all.
    expect(await bridge.next(answers(1))).toMatchObject({ result: { serverInfo: { name: 'protected' } } });
    bridge.child.stdin.end();
    expect(await bridge.exited).toBe(0);
    for (const token of server.shown) expect(bridge.stderr).not.toContain(token);
  });
});

describe('the process', () => {
  it('writes nothing but messages to stdout, whatever the server and the client write', async () => {
    await using home = await temporaryDirectory();
    const bridge = startBridge([...withServer('dual', dual(['--noisy'])), 'bridge', 'dual'], home.path);
    bridge.child.stdin.write('this is not a message\n{"neither":"is this"}\n{ broken\n\n');
    bridge.send(initialize);
    await bridge.next(answers(1));
    bridge.send(initialized);
    bridge.send(callTool(2, 'add', { a: 1, b: 2 }));
    await bridge.next(answers(2));
    bridge.child.stdin.end();
    expect(await bridge.exited).toBe(0);
    expect(bridge.lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).toEqual(
      bridge.lines.map(() => '2.0'),
    );
    expect(bridge.stderr).toContain('The client sent');
  });

  it('gives every request back under the id that the client gave it', async () => {
    await using home = await temporaryDirectory();
    const bridge = startBridge([...withServer('dual', dual()), 'bridge', 'dual'], home.path);
    bridge.send({ ...initialize, id: 'first' });
    await bridge.next((message) => message['id'] === 'first');
    bridge.send(initialized);
    const ids = ['7', 7, 'a b', -1];
    for (const id of ids) bridge.send({ ...callTool(0, 'add', { a: 1, b: 2 }), id });
    const seen: unknown[] = [];
    while (seen.length < ids.length) {
      const { id, result } = await bridge.next((message) => 'result' in message);
      expect(textOf(result)).toBe('3');
      seen.push(id);
    }
    expect(new Set(seen)).toEqual(new Set(ids));
    bridge.child.stdin.end();
    await bridge.exited;
  });

  it.each(['stdin', 'SIGTERM', 'SIGINT'] as const)('ends with its server on %s', async (how) => {
    await using home = await temporaryDirectory();
    const bridge = startBridge([...withServer('dual', dual()), 'bridge', 'dual'], home.path);
    bridge.send(initialize);
    await bridge.next(answers(1));
    bridge.send(initialized);
    bridge.send(callTool(2, 'pid'));
    const pid = Number(textOf((await bridge.next(answers(2)))['result']));
    expect(isRunning(pid)).toBe(true);
    if (how === 'stdin') bridge.child.stdin.end();
    else bridge.child.kill(how);
    const code = await bridge.exited;
    expect(code).toBe({ stdin: 0, SIGTERM: 143, SIGINT: 130 }[how]);
    await untilDead(pid);
  });

  it('starts nothing that is not approved', async () => {
    await using home = await temporaryDirectory();
    const project = join(home.path, 'project');
    await mkdir(project);
    const pidFile = join(home.path, 'started');
    const servers = { mcpServers: { dual: dual([], { PID_FILE: pidFile }) } };
    await writeFile(join(project, '.mcp.json'), JSON.stringify(servers));
    const child = spawn(process.execPath, [BIN, 'bridge', 'dual'], {
      cwd: project,
      env: environment(home.path),
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(5);
    expect(said).toContain('fittings approve dual');
    expect(await readdir(home.path)).toEqual(['project']);
  });
});
