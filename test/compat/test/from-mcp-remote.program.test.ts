import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeCertificates, type Identity } from '../../../packages/http-client/test/support/certificates.js';
import { startProxy } from '../../../packages/http-client/test/support/proxy.js';
import { everythingServer, type EverythingServer } from '../../../scripts/everything-server.js';
import { freePort } from '../../../scripts/free-port.mjs';
import { installedPackages } from '../../../scripts/installed.mjs';

const root = join(import.meta.dirname, '../../..');
const bin = join(await installedPackages(), 'node_modules/@mcp-fittings/cli/program/bin.js');
const page = await readFile(join(root, 'docs/from-mcp-remote.md'), 'utf8');

/** Rows of the first table: `mcp-remote`, and ours. */
const rows = new Map(
  (page.split('In a host of your own\n')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    .slice(1)
    .map((line): [string, string] => {
      const [, theirs = '', ours = ''] = line.split(/ *(?<!\\)\| */);
      return [theirs, ours];
    }),
);

interface Keeper extends AsyncDisposable {
  readonly url: string;
  readonly seen: IncomingHttpHeaders[];
}

let http: EverythingServer;
let sse: EverythingServer;
let home: string;
beforeAll(async () => {
  [http, sse] = await Promise.all([everythingServer(), everythingServer('sse')]);
});
afterAll(() => Promise.all([http[Symbol.asyncDispose](), sse[Symbol.asyncDispose]()]));
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'from-mcp-remote-'));
  return () => rm(home, { recursive: true, force: true });
});

/** No name server knows it: only through the proxy is there a way. */
const NAMES = { hosts: { 'notes.invalid': '127.0.0.1' } };
const invalidUrl = (): string => http.url.replace('127.0.0.1', 'notes.invalid');

type Env = Readonly<Record<string, string>>;
type Case = (ours: string) => Promise<void>;

const overHttp = async (...flags: readonly string[]): Promise<void> =>
  void (await bridges([http.url, ...flags]));

/** What makes each row true. A row without a case fails, and so does a case without a row. */
const CASES: Readonly<Record<string, Case>> = {
  '`URL`': async () => {
    await overHttp();
    expect(await fittings(['add', 'notes', http.url])).toBe(0);
    await bridges(['notes']);
  },
  'a port after the URL': async (ours) => {
    await overHttp(String(await freePort()));
    await overHttp(...flagsIn(ours), String(await freePort()));
  },
  '`--header "X-Key: ${KEY}"`': async () => {
    await using keeper = await headerKeeper(http.url);
    const header = ['--header', 'X-Key: ${KEY}', '--header', 'X-Default: ${UNSET:-default}'];
    await bridges(['${ORIGIN}/mcp', ...header], { KEY: 'value', ORIGIN: new URL(keeper.url).origin });
    expect(keeper.seen[0]).toMatchObject({ 'x-key': 'value', 'x-default': 'default' });
  },
  '`--transport http-first`, the default': async () => {
    await overHttp();
    await bridges([sse.url]);
  },
  '`--transport http-only`, `sse-first`': async () => {
    await overHttp();
    await bridges([sse.url]);
  },
  '`--transport sse-only`': async (ours) => void (await bridges([sse.url, ...flagsIn(ours)])),
  '`--static-oauth-client-info \'{"client_id":"x"}\'`': async (ours) => overHttp(...flagsIn(ours)),
  'the same with `client_secret`': async (ours) => {
    const entry = /--entry '([^']+)'/.exec(ours)?.[1] ?? '';
    expect(await fittings(['add', 'notes', '--entry', entry.replace('…', http.url)])).toBe(0);
    await bridges(['notes'], { SECRET: 'secret' });
  },
  '`--static-oauth-client-metadata \'{"scope":"a b"}\'`': async (ours) => overHttp(...flagsIn(ours)),
  '`--host`, `--callback-path`': async (ours) => {
    const oauth = /`"oauth": ([^`]+)`/.exec(ours)?.[1] ?? '';
    const entry = `{ "url": ${JSON.stringify(http.url)}, "oauth": ${oauth} }`;
    expect(await fittings(['add', 'notes', '--entry', entry])).toBe(0);
    await bridges(['notes']);
  },
  '`--auth-timeout`': async (ours) => {
    const atUrl = commandIn(ours).map((word) => (word === 'URL' ? http.url : word));
    expect(atUrl).toContain(http.url);
    expect(await fittings(atUrl)).toBe(0);
    await overHttp();
  },
  '`--enable-proxy`': async () => {
    await using proxy = await startProxy(NAMES);
    const env = { HTTP_PROXY: proxy.url };
    const url = invalidUrl();
    await bridges([url], env);
    expect(proxy.lines.length).toBeGreaterThan(0);
    const before = proxy.lines.length;
    await expect(bridges([url], { ...env, NO_PROXY: 'notes.invalid' })).rejects.toThrow('notes.invalid');
    expect(await fittings(['add', 'notes', '--entry', JSON.stringify({ url, proxy: 'none' })])).toBe(0);
    await expect(bridges(['notes'], env)).rejects.toThrow('notes.invalid');
    expect(proxy.lines).toHaveLength(before);
  },
  '`--allow-http`': async () => {
    await using proxy = await startProxy(NAMES);
    expect(await bridges([http.url])).toBe('');
    expect(await bridges([invalidUrl()], { HTTP_PROXY: proxy.url })).toMatch(/encrypt/);
  },
  "`--ignore-tool 'delete*'`": async (ours) => {
    expect(ours).toContain('`"deniedTools": ["delete*"]` in the entry');
    const entry = JSON.stringify({ url: http.url, deniedTools: ['echo*'] });
    expect(await fittings(['add', 'notes', '--entry', entry])).toBe(0);
    await expect(bridges(['notes'])).rejects.toThrow('to match object');
    expect(await fittings(['add', 'notes', '--replace', '--entry', entry.replace('echo*', 'get*')])).toBe(0);
    await bridges(['notes']);
  },
  '`--resource`': async () => overHttp(),
  '`--disable-resource-parameter`': async (ours) => {
    expect(ours).toContain('`"oauth": { "resource": false }` in the entry');
    const entry = JSON.stringify({ url: http.url, oauth: { resource: false } });
    expect(await fittings(['add', 'notes', '--entry', entry])).toBe(0);
    await bridges(['notes']);
  },
  '`--debug`': async (ours) => {
    await overHttp(...flagsIn(ours));
    expect(await fittings(['add', 'notes', http.url])).toBe(0);
    expect(await fittings(['doctor', 'notes'])).toBe(0);
  },
  '`--silent`': async () => overHttp(),
  'tokens in `~/.mcp-auth`, `MCP_REMOTE_CONFIG_DIR`': async () => overHttp('--store', 'memory'),
  '`mcp-remote-client URL`': async (ours) => {
    expect(await fittings(['add', 'name', http.url])).toBe(0);
    expect(await fittings(commandIn(ours))).toBe(0);
  },
  '`NODE_EXTRA_CA_CERTS`': async () => {
    using pki = makeCertificates();
    await using keeper = await headerKeeper(http.url, pki.server);
    const ca = join(home, 'ca.pem');
    await writeFile(ca, pki.ca);
    await bridges([keeper.url], { NODE_EXTRA_CA_CERTS: ca });
    await expect(bridges([keeper.url])).rejects.toThrow('TLS_FAILED');
    const entry = JSON.stringify({ url: keeper.url, ca });
    expect(await fittings(['add', 'notes', '--entry', entry])).toBe(0);
    await bridges(['notes']);
  },
};

it('every row of the page has a case, and every case a row', () => {
  expect(rows.size).toBeGreaterThan(15);
  expect([...rows.keys()].toSorted()).toEqual(Object.keys(CASES).toSorted());
});

it.each([...rows])(
  'the line of fittings connects and lists tools: %s',
  async (theirs, ours) => {
    await CASES[theirs]?.(ours);
  },
  60_000,
);

it('the entry at the top of the page connects and lists tools', async () => {
  const block = JSON.parse(/```json\n([^]*?)```/.exec(page)?.[1] ?? '') as {
    mcpServers: { notes: { command: string; args: string[] } };
  };
  const { command, args } = block.mcpServers.notes;
  expect([command, ...args.slice(0, 3)]).toEqual(['npx', '-y', '@mcp-fittings/cli', 'bridge']);
  expect(args).toHaveLength(4);
  await overHttp();
});

/** Flags in code, in the order of the page: `--oauth-scope a --oauth-scope b`. */
function flagsIn(cell: string): readonly string[] {
  const [, flags = ''] = /`(--[^`]+)`/.exec(cell) ?? [];
  expect(flags).not.toBe('');
  return flags.split(' ');
}

/** The words after `fittings` of the first command in code. */
function commandIn(cell: string): readonly string[] {
  const [, command = ''] = /`fittings ([^`]+)`/.exec(cell) ?? [];
  expect(command).not.toBe('');
  return command.split(' ');
}

const environment = (env: Env): Env => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  CI: 'true',
  FITTINGS_STORE: 'memory',
  ...env,
});

async function fittings(args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [bin, ...args], { cwd: home, env: environment({}), stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

/** Runs `fittings bridge` as a host does: over stdio, through the handshake, to the list of tools. Resolves with stderr. */
async function bridges(args: readonly string[], env: Env = {}): Promise<string> {
  const child = spawn(process.execPath, [bin, 'bridge', ...args], { cwd: home, env: environment(env) });
  const closed = once(child, 'close');
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = async (id: number): Promise<Record<string, unknown>> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The bridge ended: ${stderr}`);
      // Only messages are on stdout.
      const message = JSON.parse(value) as Record<string, unknown>;
      if (message['id'] === id && !('method' in message)) return message;
    }
  };
  try {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'host', version: '1' },
    };
    send({ id: 1, method: 'initialize', params });
    const begun = await answer(1);
    if ('error' in begun) throw new Error(JSON.stringify(begun['error']));
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/list' });
    expect(await answer(2)).toMatchObject({
      result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'echo' })]) },
    });
  } finally {
    child.stdin.end();
    await closed;
  }
  return stderr;
}

/** Passes everything on to a server, and keeps the headers of each request. */
async function headerKeeper(target: string, identity?: Identity): Promise<Keeper> {
  const seen: IncomingHttpHeaders[] = [];
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    seen.push(incoming.headers);
    const { method, headers } = incoming;
    const passed = request(target, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  };
  const server = identity === undefined ? createServer(handle) : createSecureServer(identity, handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${String(port)}/mcp`,
    seen,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
