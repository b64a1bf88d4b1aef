import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';
import { startBridge, withServer, type BridgeProcess } from './support/bridge-process.js';
import { untilDead } from '../../transport-stdio/test/support/processes.js';
import { DUAL_SERVER } from './support/upstreams.js';

const TOKEN = 'a-token-that-is-not-guessed-by-anyone';
const dual = withServer('dual', { command: process.execPath, args: [DUAL_SERVER] });

/** Where it says that it listens. */
async function urlOf(bridge: BridgeProcess): Promise<string> {
  for (;;) {
    const url = /Serving "dual" at (\S+)/.exec(`${bridge.stderr}\n${bridge.lines.join('\n')}`)?.[1];
    if (url !== undefined) return url;
    const { stdout, stderr } = bridge.child;
    await new Promise((resolve) => [stdout, stderr].forEach((stream) => stream.once('data', resolve)));
  }
}

async function pidThrough(transport: Parameters<Client['connect']>[0]): Promise<number> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  const { content } = await client.callTool({ name: 'pid', arguments: {} });
  return Number((content as { text: string }[])[0]?.text);
}

describe('fittings bridge', () => {
  it.each(['--http', '--ws'])('%s makes up a token and prints it once', async (flag) => {
    await using home = await temporaryDirectory();
    const bridge = startBridge([...dual, 'bridge', 'dual', flag, '0'], home.path);
    const url = await urlOf(bridge);
    await expect.poll(() => bridge.stderr).toMatch(/Bearer [\w-]{43}\n/);
    const token = /Bearer ([\w-]{43})/.exec(bridge.stderr)?.[1] ?? '';
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const transport =
      flag === '--http'
        ? new StreamableHTTPClientTransport(new URL(url), { requestInit })
        : createWebSocketTransport({ url, apiKey: token });
    expect(await pidThrough(transport)).toBeGreaterThan(0);
    const stranger = await fetch(url.replace('ws:', 'http:'), { method: 'POST', body: '{}' });
    expect(stranger.status).toBe(flag === '--http' ? 401 : 426);
    if (flag === '--ws')
      await expect(createWebSocketTransport({ url }).start()).rejects.toMatchObject({ kind: 'auth' });
    expect(bridge.stderr.split(token)).toHaveLength(2);
    bridge.child.kill('SIGINT');
    await bridge.exited;
  });

  it('--ws with --token-file', async () => {
    await using home = await temporaryDirectory();
    const file = join(home.path, 'token');
    await writeFile(file, `${TOKEN}\n`, { mode: 0o600 });
    const bridge = startBridge([...dual, 'bridge', 'dual', '--ws', '0', '--token-file', file], home.path);
    const pid = await pidThrough(createWebSocketTransport({ url: await urlOf(bridge), apiKey: TOKEN }));
    bridge.child.kill('SIGINT');
    expect(await bridge.exited).toBe(130);
    await untilDead(pid);
  });

  it.each([
    ['two wires at once', ['--http', '0', '--ws', '0'], 2, 'cannot be used with'],
    ['an invalid address', ['--http', 'everywhere'], 2, 'must be a port, host:port or unix:/path'],
    ['strangers over HTTP', ['--http', '0.0.0.0:0'], 3, '--allow-host'],
    ['strangers over WebSocket', ['--ws', '0.0.0.0:0'], 3, '--allow-host'],
    [
      'a token file that is not there',
      ['--http', '0', '--token-file', 'nowhere'],
      3,
      'Cannot read the file given by --token-file',
    ],
  ])('refuses %s, in one line on stderr', async (_what, flags, code, words) => {
    await using home = await temporaryDirectory();
    const bridge = startBridge([...dual, 'bridge', 'dual', ...flags], home.path);
    expect(await bridge.exited).toBe(code);
    expect(bridge.stderr).toContain(words);
    expect(bridge.lines).toEqual([]);
  });

  it('refuses a short token and a server that is not configured', async () => {
    await using home = await temporaryDirectory();
    const short = startBridge([...dual, 'bridge', 'dual', '--http', '0'], home.path, {
      FITTINGS_BRIDGE_TOKEN: 'short',
    });
    expect(await short.exited).toBe(3);
    expect(short.stderr).toContain('shorter than 32');
    const unknown = startBridge([...dual, 'bridge', 'duel'], home.path);
    expect(await unknown.exited).toBe(3);
    expect(unknown.stderr).toContain('dual');
    expect([...short.lines, ...unknown.lines]).toEqual([]);
  });
});
