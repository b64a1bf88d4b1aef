import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { scriptedPerson } from '../../auth-oauth/test/support/authorization-server.mjs';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';
import { startBridge, withServer } from './support/bridge-process.js';
import { untilDead } from '../../transport-stdio/test/support/processes.js';
import { startProtectedServer } from './support/protected-server.js';
import { DUAL_SERVER, textOf } from './support/upstreams.js';

const TOKEN = 'a-token-that-is-not-guessed-by-anyone';
const ENTRY = { command: process.execPath, args: [DUAL_SERVER] };
const ERAS = ['legacy', 'auto'] as const;
const patiently = { timeout: 30_000 };

/** Starts the command, and waits until it says where it listens. */
async function serving(args: readonly string[], env: Record<string, string> = {}) {
  const home = await temporaryDirectory();
  const program = startBridge(args, home.path, { FITTINGS_BRIDGE_TOKEN: TOKEN, ...env });
  const ended = program.exited.then(() => Promise.reject(new Error(`It ended.\n${program.stderr}`)));
  await Promise.race([once(program.child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  const url = / at (\S+)$/.exec(program.lines[0] ?? '')?.[1] ?? '';
  const clients: { close(): Promise<void> }[] = [];
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  return {
    program,
    url,
    home: home.path,
    async connect(mode: (typeof ERAS)[number]): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      clients.push(client);
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      return client;
    },
    async connectV1(capabilities: object): Promise<ClientV1> {
      const client = new ClientV1({ name: 'test', version: '1' }, { capabilities });
      clients.push(client);
      await client.connect(new HttpV1(new URL(url), { requestInit }));
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      program.child.kill('SIGTERM');
      await program.exited;
      await home[Symbol.asyncDispose]();
    },
  };
}

const dual = (entry: object = {}) =>
  serving(['--verbose', ...withServer('dual', { ...ENTRY, ...entry }), 'bridge', 'dual', '--http', '0']);

describe('fittings bridge --http', () => {
  it.each(ERAS)('serves the server under its own name and names of tools (%s)', async (era) => {
    await using served = await dual({ deniedTools: ['die'] });
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/dual$/);
    const client = await served.connect(era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25');
    expect(client.getServerVersion()?.name).toBe('dual modern');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('add');
    expect(names).not.toContain('die');
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))).toBe('5');
    await expect(client.callTool({ name: 'die', arguments: {} })).rejects.toMatchObject({
      data: { code: 'POLICY_DENIED' },
    });
    expect((await client.readResource({ uri: 'memo:///a' })).contents).toMatchObject([{ text: 'a memo' }]);
    // It was not there when the user began to use the server.
    await client.callTool({ name: 'grow', arguments: {} });
    const added = () => client.callTool({ name: 'grown', arguments: {} }).catch(String);
    await expect.poll(added, patiently).toContain('fittings pins show dual grown');
    expect(served.program.stderr).not.toContain(TOKEN);
    expect((await fetch(served.url, { method: 'POST' })).status).toBe(401);
  });

  it('asks the client of a call what the server asks the user and the model', async () => {
    const args = [await officialServer('everything')];
    await using served = await serving([
      ...withServer('all', { command: process.execPath, args }),
      'bridge',
      'all',
      '--http',
      '0',
    ]);
    const client = await served.connectV1({ elicitation: {}, sampling: {} });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }));
    client.setRequestHandler(CreateMessageRequestSchema, async () => ({
      role: 'assistant',
      model: 'test',
      content: { type: 'text', text: 'sampled by the client' },
    }));
    const call = async (name: string, given: Record<string, unknown> = {}) =>
      textOf(await client.callTool({ name, arguments: given }));
    expect(await call('trigger-elicitation-request')).toContain('declined');
    expect(await call('trigger-sampling-request', { prompt: 'hi' })).toContain('sampled by the client');
    const prompt = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Ulm' } });
    expect(JSON.stringify(prompt)).toContain('Ulm');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completion.values).toEqual(['Engineering']);
  });

  it('shares one process among its clients, says why it died, and has it back for the next call', async () => {
    await using served = await dual();
    const [one, two] = [await served.connect('legacy'), await served.connect('auto')];
    const pidOf = async (client: Client) =>
      Number(textOf(await client.callTool({ name: 'pid', arguments: {} })));
    const pid = await pidOf(one);
    expect(await pidOf(two)).toBe(pid);
    const failure = await one.callTool({ name: 'die', arguments: {} }).catch((error: unknown) => error);
    expect(String(failure)).toContain('exited with code 3');
    expect(failure).toMatchObject({ data: { code: 'PROCESS_EXITED', delivery: 'unknown' } });
    const next = await pidOf(two);
    expect(next).not.toBe(pid);
    served.program.child.kill('SIGTERM');
    expect(await served.program.exited).toBe(143);
    await untilDead(next);
  });

  it.each(['bridge', 'serve'])(
    '%s ends while its server is being started, and the server too',
    async (name) => {
      await using home = await temporaryDirectory();
      const started = join(home.path, 'started');
      const program = `require('fs').writeFileSync('started', String(process.pid)); setInterval(() => 0, 1000)`;
      const silent = { command: process.execPath, args: ['-e', program], cwd: home.path };
      const served = startBridge([...withServer('silent', silent), name, 'silent', '--http', '0'], home.path);
      const pid = async () => Number(await readFile(started, 'utf8').catch(() => '0'));
      await expect.poll(pid, patiently).toBeGreaterThan(0);
      served.child.kill('SIGTERM');
      expect(await served.exited).toBe(143);
      // It did not wait until the server was too slow.
      expect(served.stderr).not.toContain('did not connect');
      expect(served.lines).toEqual([]);
      await untilDead(await pid());
    },
  );

  it('says why the server cannot be started', async () => {
    await using served = await dual({ command: 'no-such-command' });
    expect(served.program.stderr).toContain('The command "no-such-command" was not found');
    const client = await served.connect('auto');
    await expect(client.listTools()).rejects.toThrow('The command "no-such-command" was not found');
  });

  it('refuses a URL with a secret, which would be in its address; a variable is not', async () => {
    const at = (query: string) => ['bridge', `http://127.0.0.1:1/mcp?api_key=${query}`, '--http', '0'];
    await using home = await temporaryDirectory();
    const refused = startBridge(at('a-secret-key'), home.path, { FITTINGS_BRIDGE_TOKEN: TOKEN });
    expect(await refused.exited).toBe(2);
    expect(refused.stderr).toContain('The URL of the server contains a secret');
    expect(refused.stderr).not.toContain('a-secret-key');
    await using served = await serving(at('${API_KEY}'), { API_KEY: 'a-secret-key' });
    const client = await served.connect('legacy');
    await expect(client.listTools()).rejects.toThrow('Connection refused');
    expect(served.program.stderr).not.toContain('a-secret-key');
  });

  it('serves a socket to its owner without a token', async () => {
    await using home = await temporaryDirectory();
    const socketPath = join(home.path, 'b.sock');
    const program = startBridge(
      [...withServer('dual', ENTRY), 'bridge', 'dual', '--http', `unix:${socketPath}`],
      home.path,
    );
    await expect.poll(() => program.lines.length, patiently).toBeGreaterThan(0);
    expect(program.lines[0]).toBe(`Serving "dual" at unix://${socketPath}#/mcp/dual`);
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    expect(program.stderr).not.toContain('Bearer');
    const asked = httpRequest({ socketPath, path: '/mcp/dual', headers: { host: 'localhost' } }).end();
    const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    // Neither 401 nor 404: a session is missing.
    expect(response.statusCode).toBe(400);
    // The address of the bridge is one for an entry, and for the command line.
    const url = / at (\S+)$/.exec(program.lines[0] ?? '')?.[1] ?? '';
    for (const call of [
      [...withServer('local', { type: 'http', url }), 'call', 'local/add'],
      ['call', url, 'add'],
    ]) {
      const called = startBridge([...call, 'a=2', 'b=3'], home.path);
      expect(await called.exited, called.stderr).toBe(0);
      expect(called.lines).toEqual(['5']);
    }
    program.child.kill('SIGTERM');
    await program.exited;
  });
});

describe('a server that requires a sign-in, over fittings bridge --http', () => {
  it('is signed in to when a client needs it, and answers that client', async () => {
    await using server = await startProtectedServer();
    const remote = { CI: 'false', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' };
    await using served = await serving(
      ['--store', 'memory', 'bridge', server.url, '--http', '127.0.0.1:0'],
      remote,
    );
    const { program } = served;
    expect(served.url).toContain(`/mcp/${encodeURIComponent(server.url)}`);
    const client = await served.connect('auto');
    const listed = client.listTools();
    await expect.poll(() => program.stderr, patiently).toMatch(/open \S+ and enter \S+/);
    const [, page = '', code = ''] = /open (\S+) and enter (\S+)/.exec(program.stderr) ?? [];
    await scriptedPerson(`${page}?user_code=${code}`);
    expect((await listed).tools.map(({ name }) => name)).toEqual(['add']);
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } }))).toBe('42');
    for (const token of server.shown) expect(program.stderr).not.toContain(token);
  });
});
