import { Client } from '@modelcontextprotocol/client';
import { sharedStdio } from '@mcp-fittings/transport-shared';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { startProgram, startedPids } from './support/program.js';
import { openSharedFolder, type SharedFolder } from './support/shared-folder.js';

const EVERYTHING = await officialServer('everything');

describe('one server for many programs', () => {
  it('starts a server once for programs that would start it in the same way', async () => {
    await using shared = await openSharedFolder();
    await using first = await startProgram(shared);
    await using second = await startProgram(shared);
    expect(await second.call('pid')).toBe(await first.call('pid'));
    expect(startedPids(shared)).toHaveLength(1);
    expect(second.initialized).toMatchObject({ result: { serverInfo: { name: 'toy' } } });
    // The server has one client, so it has seen one handshake.
    const received = (await first.call('received')).split(' ');
    expect(received.filter((method) => method === 'initialize')).toHaveLength(1);
    expect(received.filter((method) => method === 'notifications/initialized')).toHaveLength(1);
  });

  it('programs that begin at the same moment share one process too', async () => {
    await using shared = await openSharedFolder();
    const programs = await Promise.all(Array.from({ length: 6 }, () => startProgram(shared)));
    const pids = await Promise.all(programs.map((program) => program.call('pid')));
    expect(new Set(pids).size).toBe(1);
    expect(startedPids(shared)).toHaveLength(1);
    await Promise.all(programs.map((program) => program.transport.close()));
  });

  it('SDK clients of both eras use server-everything together', async () => {
    await using shared = await openSharedFolder();
    const entry = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
    const open = async (mode: 'auto' | undefined) => {
      const client = new Client(
        { name: 'test', version: '1' },
        mode === undefined ? {} : { versionNegotiation: { mode } },
      );
      const transport = sharedStdio(shared).create(entry, { server: 'everything' });
      await client.connect(transport);
      return { client, pid: () => transport.describe?.()['pid'] };
    };
    const [a, b] = [await open('auto'), await open('auto')];
    const c = await open(undefined);
    for (const { client } of [a, b, c]) {
      const echoed = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
      expect(echoed).toMatchObject({ content: [{ text: 'Echo: hi' }] });
    }
    await Promise.all([a, b, c].map(({ client }) => client.close()));
  });
});

describe('in one shared process', () => {
  let shared: SharedFolder;
  beforeAll(async () => {
    shared = await openSharedFolder();
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  it.each([
    ['another variable', { env: { TOKEN: 'b', TEST: 'another variable' } }],
    ['another argument', { args: ['--other'] }],
    ['another capability', { capabilities: { sampling: {} } }],
    ['another revision', { protocolVersion: '2025-06-18' }],
    ['roots that are not known', { capabilities: { roots: {} } }],
  ])('%s means another process', async (name, options) => {
    const same = { env: { TOKEN: 'a', TEST: name } };
    await using first = await startProgram(shared, same);
    await using second = await startProgram(shared, { ...same, ...options });
    expect(await second.call('pid')).not.toBe(await first.call('pid'));
    if (!('env' in options)) return;
    expect(await first.call('env', { name: 'TOKEN' })).toBe('a');
    expect(await second.call('env', { name: 'TOKEN' })).toBe('b');
  });

  it('programs with the same roots share, and with other roots do not', async () => {
    const capabilities = { roots: {} };
    const at = (uri: string) => startProgram(shared, { capabilities, roots: () => [uri] });
    await using first = await at('file:///a');
    await using second = await at('file:///a');
    await using other = await at('file:///b');
    expect(await second.call('pid')).toBe(await first.call('pid'));
    expect(await other.call('pid')).not.toBe(await first.call('pid'));
  });
});
