import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { chmod, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createHost } from '@mcp-fittings/host';
import { sharedStdio } from '@mcp-fittings/transport-shared';
import { serveShared } from '@mcp-fittings/transport-shared/server';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startProgram, startLog, untilHeld } from './support/program.js';
import { isRunning, until, untilDead } from '../../transport-stdio/test/support/processes.js';
import { openSharedFolder } from './support/shared-folder.js';

const TOY = fileURLToPath(new URL('support/toy-server.mjs', import.meta.url));
const KIT = fileURLToPath(new URL('support/kit-server.mjs', import.meta.url));

/** Whether a connection to the socket is accepted. */
async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Returns what a peer says before it ends the connection; rejects if it only falls silent. */
async function saidUntilEnd(socket: Socket): Promise<string> {
  socket.setTimeout(20_000, () => socket.destroy(new Error('The peer did not end the connection.')));
  let said = '';
  for await (const chunk of socket) said += String(chunk);
  return said;
}

describe('the shared process', () => {
  it('eight programs that start it at the same moment get one', async () => {
    await using shared = await openSharedFolder();
    const programs = await Promise.all(Array.from({ length: 8 }, () => startProgram(shared)));
    // It listens before it has written its log.
    await until(() => shared.processes().length > 0);
    expect(shared.processes()).toHaveLength(1);
    await Promise.all(programs.map((program) => program.transport.close()));
  });

  it('of twenty that begin to serve at the same moment one does', async () => {
    await using shared = await openSharedFolder();
    const { folder } = shared;
    const all = await Promise.all(Array.from({ length: 20 }, () => serveShared({ folder })));
    expect(all.filter((serving) => serving !== undefined)).toHaveLength(1);
    // Its socket is the one that programs find.
    await using program = await startProgram(shared, { start: false });
    expect(await program.call('echo', { value: 'found' })).toBe('found');
    await program.transport.close();
    await Promise.all(all.map(async (serving) => serving?.close()));
  });

  it('eight starters replace the socket of a killed one once', async () => {
    await using shared = await openSharedFolder();
    await (await startProgram(shared)).transport.close();
    await until(() => shared.processes().length > 0);
    const [killed = 0] = shared.processes();
    process.kill(killed, 'SIGKILL');
    await untilDead(killed);
    const path = `${shared.folder}/shared-1.sock`;
    expect((await stat(path)).isSocket()).toBe(true);
    // The threads of a killed process may hold its socket for a moment after its first one has ended.
    while (await accepts(path)) await setImmediate();
    const programs = await Promise.all(Array.from({ length: 8 }, () => startProgram(shared)));
    await until(() => shared.processes().some(isRunning));
    expect(shared.processes().filter(isRunning)).toHaveLength(1);
    await Promise.all(programs.map((program) => program.transport.close()));
  });

  it('the socket is for its user only, and a folder that others can enter is refused', async () => {
    await using shared = await openSharedFolder();
    await using serving = await serveShared({ folder: shared.folder });
    expect((await stat(serving?.path ?? '')).mode & 0o777).toBe(0o600);
    expect((await stat(shared.folder)).mode & 0o777).toBe(0o700);
    await chmod(shared.folder, 0o755);
    await expect(startProgram(shared)).rejects.toMatchObject({ code: 'STORE_INSECURE', delivery: undefined });
    await using other = await openSharedFolder();
    await mkdir(other.folder, { mode: 0o777 });
    await chmod(other.folder, 0o777);
    await expect(serveShared({ folder: other.folder })).rejects.toMatchObject({ code: 'STORE_INSECURE' });
    await expect(startProgram(other)).rejects.toMatchObject({ code: 'STORE_INSECURE' });
  });

  it('a server ends when no program has used it for a while, and the process after that', async () => {
    await using shared = await openSharedFolder();
    const clock = createManualClock();
    await using serving = await serveShared({
      folder: shared.folder,
      clock,
      serverIdleMs: 1000,
      idleMs: 5000,
    });
    const program = await startProgram(shared, { start: false });
    const pid = Number(await program.call('pid'));
    await clock.advance(10_000);
    expect(await program.call('echo', { value: 'used' })).toBe('used');
    await program.transport.close();
    await until(() => serving?.programs === 0);
    await clock.advance(999);
    expect(isRunning(pid)).toBe(true);
    await clock.advance(1);
    // The ladder of its shutdown has steps of its own.
    while (isRunning(pid)) await clock.advance(100);
    await clock.advance(5000);
    await serving?.ended;
    await expect(startProgram(shared, { start: false })).rejects.toMatchObject({
      code: 'CONNECTION_REFUSED',
    });
  });

  it('waits at least 10 s for its first program, and as long as it is told after the last one', async () => {
    await using shared = await openSharedFolder();
    const { folder } = shared;
    const clock = createManualClock();
    await using serving = await serveShared({ folder, clock, idleMs: 20 });
    await clock.advance(9999);
    expect(clock.nextIn).toBe(1);
    const program = await startProgram(shared, { start: false });
    await program.transport.close();
    await until(() => serving?.programs === 0);
    await clock.advance(20);
    await serving?.ended;
    await using unused = await serveShared({ folder, clock, idleMs: 20 });
    await clock.advance(10_000);
    await unused?.ended;
  });

  it('keeps no timer for a server that could not be started and that no program waits for', async () => {
    await using shared = await openSharedFolder();
    const clock = createManualClock();
    await using serving = await serveShared({
      folder: shared.folder,
      clock,
      serverIdleMs: 1000,
      idleMs: 5000,
    });
    const launch = { command: '/does/not/exist', args: [], env: {}, parentEnv: {}, cwd: '/' };
    const opening = `${JSON.stringify({ 'mcp-fittings': { wire: 1, launch, stderr: false } })}\n`;
    const program = connect(serving?.path ?? '').resume();
    program.end(opening);
    await once(program, 'close');
    await until(() => serving?.servers === 0 && serving.programs === 0);
    expect(clock.nextIn).toBe(5000);
  });

  it('ends when it is idle, also if its folder cannot be used any more', async () => {
    await using shared = await openSharedFolder();
    const { folder } = shared;
    const clock = createManualClock();
    const serving = await serveShared({ folder, clock, idleMs: 10_000 });
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'not a folder');
    await clock.advance(10_000);
    await serving?.ended;
  });

  it('a program whose connection is accepted by a process that ends then connects to the next one', async () => {
    await using shared = await openSharedFolder();
    await mkdir(shared.folder, { mode: 0o700 });
    const ending = createServer((socket) => {
      ending.close();
      socket.destroy();
    });
    ending.listen(`${shared.folder}/shared-1.sock`);
    await once(ending, 'listening');
    await using program = await startProgram(shared);
    expect(await program.call('echo', { value: 'found' })).toBe('found');
    expect(ending.listening).toBe(false);
  });

  it('a host recovers from the loss of the shared process, which says why', async () => {
    await using shared = await openSharedFolder();
    const env = { START_LOG: startLog(shared) };
    const open = async () => {
      const host = createHost({
        name: 'test',
        version: '1',
        transports: [sharedStdio({ ...shared, shutdown: { afterStdinEndMs: 500 } })],
      });
      await host.connect({ toy: { command: process.execPath, args: [TOY], env } });
      return host;
    };
    const hosts = [await open(), await open()];
    await until(() => shared.processes().length > 0);
    const [killed = 0] = shared.processes();
    const held = hosts.map((host) => host.callTool({ server: 'toy', tool: 'hold' }, { value: 'x' }));
    const lost = Promise.allSettled(held);
    const [a, b] = hosts;
    let count = '';
    while (count !== '2') {
      const result = await a?.callTool({ server: 'toy', tool: 'held' });
      count = String((result?.content[0] as { readonly text?: string } | undefined)?.text);
    }
    process.kill(killed, 'SIGKILL');
    for (const { reason } of (await lost) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown' });
      expect(String(reason)).toContain('The shared process that runs this server has ended.');
    }
    for (const host of [a, b]) {
      const result = await host?.callTool({ server: 'toy', tool: 'echo' }, { value: 'back' });
      expect(result).toMatchObject({ content: [{ text: 'back' }] });
    }
    expect(shared.processes().filter(isRunning)).toHaveLength(1);
    await Promise.all(hosts.map((host) => host.close()));
  });

  it('what does not begin with an opening of this version is refused', async () => {
    await using shared = await openSharedFolder();
    await using serving = await serveShared({ folder: shared.folder });
    const socket = connect(serving?.path ?? '');
    socket.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    expect(await saidUntilEnd(socket)).toContain('another version');
    expect(serving?.servers).toBe(0);
  });

  it('an opening with a member of a wrong type is refused, and other programs go on', async () => {
    await using shared = await openSharedFolder();
    await using program = await startProgram(shared);
    const mistakes: readonly [string, object][] = [
      ['env', { env: { N: 1 } }],
      ['env', { env: { N: null } }],
      ['env', { env: ['A=b'] }],
      ['parentEnv', { parentEnv: { PATH: {} } }],
      ['args', { args: [1] }],
      ['args', { args: 'one' }],
      ['command', { command: '' }],
      ['cwd', { cwd: 7 }],
      ['framing', { framing: 'xml' }],
      ['maxMessageBytes', { maxMessageBytes: 'many' }],
      ['shutdown', { shutdown: { afterStdinEndMs: '1' } }],
      ['principal', { principal: { name: 'ann' } }],
    ];
    for (const [member, mistake] of mistakes) {
      const socket = connect(`${shared.folder}/shared-1.sock`);
      const launch = { command: 'cat', args: [], env: {}, parentEnv: {}, cwd: '/', ...mistake };
      socket.write(`${JSON.stringify({ 'mcp-fittings': { wire: 1, launch, stderr: false } })}\n`);
      expect(JSON.parse(await saidUntilEnd(socket))).toMatchObject({
        'mcp-fittings': {
          event: 'ended',
          error: { code: 'CONFIG_INVALID', message: expect.stringContaining(`"${member}" `) },
        },
      });
    }
    expect(await program.call('echo', { value: 'still here' })).toBe('still here');
  });

  it('a line that cannot be processed ends the connection of its program only', async () => {
    await using shared = await openSharedFolder();
    await using program = await startProgram(shared);
    const socket = connect(`${shared.folder}/shared-1.sock`);
    const launch = { command: process.execPath, args: [TOY], env: {}, parentEnv: {}, cwd: '/' };
    socket.write(`${JSON.stringify({ 'mcp-fittings': { wire: 1, launch, stderr: false } })}\n`);
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    socket.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":${deep}}}\n`);
    expect(await saidUntilEnd(socket)).toContain('"ended"');
    expect(await program.call('echo', { value: 'still here' })).toBe('still here');
  });
});

describe('what a server writes', () => {
  it('is shown without the secrets of the options', async () => {
    await using shared = await openSharedFolder();
    await using _serving = await serveShared({ folder: shared.folder });
    const lines: string[] = [];
    const plugin = sharedStdio({
      ...shared,
      start: false,
      secrets: ['swordfish-1234'],
      stderr: (line) => lines.push(line),
    });
    const script =
      "process.stdin.once('data', () => { console.error('It is ' + ['swordfish', '1234'].join('-')); process.exit(1); })";
    const transport = plugin.create({ command: process.execPath, args: ['-e', script] }, { server: 'toy' });
    await transport.start();
    const failed = await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }).catch(String);
    expect(failed).toContain('It is ');
    expect([failed, ...lines, JSON.stringify(transport.describe?.())].join('\n')).not.toContain('swordfish');
  });

  it('may be as large as `maxMessageBytes` allows', async () => {
    await using shared = await openSharedFolder();
    await using _serving = await serveShared({ folder: shared.folder });
    const plugin = sharedStdio({ ...shared, start: false, maxMessageBytes: 200 * 1024 * 1024 });
    await using transport = plugin.create({ command: process.execPath, args: [KIT] }, { server: 'kit' });
    const sizes: number[] = [];
    transport.onmessage = (message) =>
      sizes.push('result' in message ? String(message.result['text']).length : 0);
    await transport.start();
    const length = 66 * 1024 * 1024;
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'kit/blob', params: { length } });
    expect(sizes).toEqual([length]);
  });
});

it('a process that is asked to end lets calls in flight finish, and sends no others', async () => {
  await using shared = await openSharedFolder();
  await using program = await startProgram(shared);
  await until(() => shared.processes().length > 0);
  const [pid = 0] = shared.processes();
  const held = program.call('hold', { value: 'kept' });
  await using other = await startProgram(shared);
  await untilHeld(other, 1);
  process.kill(pid, 'SIGTERM');
  const refused = async (): Promise<unknown> =>
    other.call('held').then(
      () => undefined,
      (error: unknown) => error,
    );
  let error: unknown;
  while (error === undefined) error = await refused();
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'not-sent' });
  // A notification still passes, and ends the held call.
  await program.notify('toy/release');
  expect(await held).toBe('kept');
  await untilDead(pid);
});
