import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';
import { startBridge, withServer, type BridgeProcess } from './support/bridge-process.js';

const EVERYTHING = await officialServer('everything');
const ENTRY = { command: process.execPath, args: [EVERYTHING], deniedTools: ['get-env'] };
const SERVERS = [
  '--mcp-config',
  JSON.stringify({ mcpServers: { demo: ENTRY, missing: { command: 'no-such-program' } } }),
  '--strict-mcp-config',
];
const patiently = { timeout: 30_000 };

/** Waits for a line on stdout, and ends the program at the end. */
async function serving(args: readonly string[], home: string, env: Record<string, string> = {}) {
  const program = startBridge(args, home, env);
  await expect.poll(() => program.lines.length, patiently).toBeGreaterThan(0);
  const end = async (): Promise<number | null> => {
    program.child.kill('SIGTERM');
    return program.exited;
  };
  return { program, end, [Symbol.asyncDispose]: async () => void (await end()) };
}

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

const urlIn = ({ lines }: BridgeProcess): string => (JSON.parse(lines[0] ?? '') as { url: string }).url;

describe('fittings serve', () => {
  it('serves all servers at one address, and each at its own, with a new token', async () => {
    await using home = await temporaryDirectory();
    await using served = await serving(['--json', ...SERVERS, 'serve', '--http', '0'], home.path);
    const { program } = served;
    expect(JSON.parse(program.lines[0] ?? '')).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      servers: ['demo', 'missing'],
    });
    expect(program.stderr).toContain('The server "missing" is not connected (failed)');
    await expect.poll(() => program.stderr, patiently).toContain('Bearer ');
    const token = /Bearer (\S+)/.exec(program.stderr)?.[1] ?? '';
    const url = urlIn(program);
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);

    const all = await connect(url, token);
    const names = (await all.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('demo__echo');
    expect(names).not.toContain('demo__get-env');
    const call = { name: 'demo__echo', arguments: { message: 'hi' } };
    expect(await all.callTool(call)).toMatchObject({ content: [{ text: 'Echo: hi' }] });
    await all.close();
    const one = await connect(`${url}/demo`, token);
    expect((await one.listTools()).tools.map(({ name }) => name)).toContain('echo');
    await expect(one.callTool({ name: 'get-env', arguments: {} })).rejects.toMatchObject({
      data: { code: 'POLICY_DENIED' },
    });
    await one.close();
    expect(await served.end()).toBe(143);
  });

  it('serves the program that has started it, until that closes the pipe', async () => {
    await using home = await temporaryDirectory();
    const program = startBridge([...withServer('demo', ENTRY), 'serve', '--stdio'], home.path);
    const clientInfo = { name: 'test', version: '1' };
    program.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    expect(await program.next(({ id }) => id === 1)).toMatchObject({
      result: { serverInfo: { name: 'fittings' } },
    });
    program.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    program.send({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'demo__echo', arguments: { message: 'hi' } },
    });
    expect(await program.next(({ id }) => id === 2)).toMatchObject({
      result: { content: [{ text: 'Echo: hi' }] },
    });
    program.child.stdin.end();
    expect(await program.exited).toBe(0);
  });

  it.each<[string, readonly string[], Record<string, string>, string]>([
    ['no way to serve', ['serve'], {}, 'Add --http <address>, --stdio or --socket.'],
    ['a short token', ['serve', '--http', '0'], { FITTINGS_SERVE_TOKEN: 'short' }, 'shorter than 32'],
    ['an address for everyone', ['serve', '--http', '0.0.0.0:0'], {}, 'allow'],
    ['two ways', ['serve', '--http', '0', '--stdio'], {}, 'cannot be used with'],
  ])('refuses %s', async (_, args, env, why) => {
    await using home = await temporaryDirectory();
    const program = startBridge([...SERVERS, ...args], home.path, env);
    expect(await program.exited).not.toBe(0);
    expect(program.stderr).toContain(why);
  });
});
