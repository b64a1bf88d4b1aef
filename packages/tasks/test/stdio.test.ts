import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost, type Host } from '@mcp-fittings/host';
import { tasks } from '@mcp-fittings/tasks';
import { stdio } from '@mcp-fittings/transport-stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SERVER = fileURLToPath(new URL('./support/stdio-server.mjs', import.meta.url));

describe('tasks of a server of SDK v2 that is a child process', () => {
  let folder: string;
  let host: Host;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tasks-'));
    host = createHost({
      name: 'test',
      version: '1',
      transports: [tasks(stdio(), { limits: { minPollMs: 1 } })],
      delivery: 'retry',
    });
    await host.connect({ durable: { command: process.execPath, args: [SERVER, folder] } });
  });
  afterEach(async () => {
    await host.close();
    await rm(folder, { recursive: true });
  });
  const lines = async (): Promise<readonly string[]> =>
    (await readFile(join(folder, 'log'), 'utf8').catch(() => '')).split('\n');
  const count = async (word: string): Promise<number> =>
    (await lines()).filter((line) => line.startsWith(word)).length;

  it('outlive the process: the host starts it again, and polls on', async () => {
    const call = host.callTool({ server: 'durable', tool: 'render' }, {}, { task: {} });
    await expect.poll(() => count('get')).toBeGreaterThan(1);
    const pid = Number((await lines())[0]?.split(' ')[1]);
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(async () => new Set((await lines()).map((line) => line.split(' ')[1])).size, { timeout: 20_000 })
      .toBe(3);
    await writeFile(join(folder, 'release'), '');
    expect((await call).content).toEqual([{ type: 'text', text: 'rendered' }]);
    expect(await count('created')).toBe(1);
  });

  it('are canceled with tasks/cancel when the caller aborts the call', async () => {
    const abort = new AbortController();
    const call = host.callTool({ server: 'durable', tool: 'render' }, {}, { signal: abort.signal });
    const rejected = expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    await expect.poll(() => count('get')).toBeGreaterThan(1);
    abort.abort();
    await rejected;
    await expect.poll(() => count('cancel')).toBe(1);
    expect(host.server('durable').state.status).toBe('connected');
  });
});
