import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { stdio } from '@mcp-fittings/transport-stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseStat } from '../src/process/process-tree.js';
import type { ProcessTree } from '../src/process/process-tree.js';
import { endTree } from '../src/process/shutdown-ladder.js';
import { createWindowsTree } from '../src/process/process-tree.js';
import { isRunning, until, watchResources } from './support/processes.js';
import { startToy, toy } from './support/toy-client.js';

const STUBBORN = ['--ignore-stdin-end', '--ignore-sigterm'];
const SHORT = { afterStdinEndMs: 50, afterSigtermMs: 50 };
const IGNORES_SIGTERM = 'process.on("SIGTERM", () => 0); setInterval(() => 0, 1000); process.send?.(0)';

const pidOf = (result: JSONRPCObject): number => Number(result['pid']);

/** Runs the steps of the ladder on a tree that does what `obeys` says. */
function ladder(obeys: { stdinEnd?: boolean; sigterm?: boolean; sigkill?: boolean; survivors?: boolean }) {
  const clock = createManualClock();
  const steps: string[] = [];
  let end: () => void = () => undefined;
  const exited = new Promise<void>((resolve) => (end = resolve));
  const step = (name: string, works: boolean | undefined): void => {
    steps.push(`${name} at ${clock.now()}`);
    if (works === true) {
      survives = false;
      end();
    }
  };
  let survives = obeys.survivors ?? false;
  const tree: ProcessTree = {
    signal: (signal) => step(signal, signal === 'SIGTERM' ? obeys.sigterm : obeys.sigkill),
    hasSurvivors: () => Promise.resolve(survives),
    killNow: () => undefined,
  };
  const times = { afterStdinEndMs: 1000, afterSigtermMs: 500, afterSigkillMs: 200 };
  const run = async (
    polite: boolean,
  ): Promise<{ steps: string[]; gone: boolean | undefined; at: number }> => {
    const endStdin = (): void => {
      steps.push(`end at ${clock.now()}`);
      if (obeys.stdinEnd === true) end();
    };
    let gone: boolean | undefined;
    let at = 0;
    const done = endTree({ tree, exited, clock, times, ...(polite && { endStdin }) }).then((result) => {
      gone = result;
      at = clock.now();
    });
    await clock.advance(5000);
    await done;
    expect(clock.pending).toBe(0);
    return { steps, gone, at };
  };
  return { run };
}

describe('the steps of a shutdown', () => {
  const END = 'end at 0';

  it.each<[string, Parameters<typeof ladder>[0], string[], boolean, number]>([
    ['only closing stdin if that is enough', { stdinEnd: true }, [END], true, 0],
    ['then SIGTERM', { sigterm: true }, [END, 'SIGTERM at 1000'], true, 1000],
    ['then SIGKILL', { sigkill: true }, [END, 'SIGTERM at 1000', 'SIGKILL at 1500'], true, 1500],
    ['giving up on what survives SIGKILL', {}, [END, 'SIGTERM at 1000', 'SIGKILL at 1500'], false, 1700],
    [
      'SIGTERM for the children of a server that has exited, without waiting for the server',
      { stdinEnd: true, survivors: true, sigterm: true },
      [END, 'SIGTERM at 100'],
      true,
      100,
    ],
  ])('are %s', async (_, obeys, steps, gone, at) => {
    expect(await ladder(obeys).run(true)).toEqual({ steps, gone, at });
  });

  it('begin with SIGTERM when stdin need not be closed', async () => {
    expect(await ladder({ sigterm: true }).run(false)).toMatchObject({ steps: ['SIGTERM at 0'], gone: true });
  });
});

describe('a process group', () => {
  it('is killed as a whole when the server ignores the end of stdin and SIGTERM', async () => {
    const client = await startToy({ flags: STUBBORN, shutdown: SHORT });
    const pid = client.transport.pid ?? 0;
    const grandchild = pidOf(await client.result('grandchild', { code: IGNORES_SIGTERM }));
    expect([isRunning(pid), isRunning(grandchild)]).toEqual([true, true]);
    await client.transport.close();
    expect([isRunning(pid), isRunning(grandchild)]).toEqual([false, false]);
  });

  it('is ended also when the server exits at once and leaves a child', async () => {
    const client = await startToy({ shutdown: SHORT });
    const grandchild = pidOf(await client.result('grandchild'));
    await client.transport.close();
    expect(isRunning(grandchild)).toBe(false);
  });

  it('is ended also when the server exited by itself', async () => {
    await using client = await startToy({ shutdown: SHORT });
    const grandchild = pidOf(await client.result('grandchild', { code: IGNORES_SIGTERM }));
    client.ask('exit').catch(() => undefined);
    await client.closed;
    expect(isRunning(grandchild)).toBe(false);
  });

  it('lets a server that is writing see the end of its stdin', async () => {
    const code =
      'process.stdin.resume().on("end", () => { process.stderr.write("saw the end\\n"); process.exit(0) });' +
      'setInterval(() => require("fs").writeSync(1, "x".repeat(1e6) + "\\n"), 1)';
    const client = await startToy({ args: ['-e', code] });
    await client.transport.close();
    expect(client.transport.describe()).toMatchObject({ exitCode: 0, stderr: 'saw the end' });
  });

  it.runIf(process.platform === 'linux')('does not wait for a zombie that is never reaped', async () => {
    // A process in the group of the server dies when its parent has moved to a session of its own and has become
    // `sleep`, which never reaps it.
    const dying = `until [ "$(cat /proc/$PPID/comm)" = sleep ]; do :; done`;
    const moving = `exec setsid sh -c 'echo "$$" >&2; exec sleep 60'`;
    const script = `(sh -c '${dying}' & echo "$!" >&2; ${moving}) & exec cat >/dev/null`;
    const clock = createManualClock();
    const surplus = watchResources();
    const client = await startToy({ command: 'sh', args: ['-c', script], clock });
    await until(() => client.transport.stderrTail.split('\n').length === 2);
    const [zombie = 0, parent = 0] = client.transport.stderrTail.split('\n').map(Number);
    onTestFinished(() => void process.kill(parent, 'SIGKILL'));
    const stat = (): ReturnType<typeof parseStat> => parseStat(readFileSync(`/proc/${zombie}/stat`, 'utf8'));
    await until(() => stat()?.state === 'Z');
    expect(stat()?.group).toBe(client.transport.pid);
    // The clock stands still: each wait would be for ever.
    await client.transport.close();
    expect(clock.now()).toBe(0);
    // The one in a session of its own still holds the other ends of the pipes.
    await until(() => surplus().length === 0);
    expect(stat()?.state).toBe('Z');
  });

  it.each([
    ['12 (node) S 1 7 7 0 -1', { state: 'S', group: 7 }],
    ['12 (a) Z 9 (b) R 1 8 8 0 -1', { state: 'R', group: 8 }],
    ['', undefined],
  ])('reads the state and the group out of %j', (stat, expected) => {
    expect(parseStat(stat)).toEqual(expected);
  });
});

describe('Windows', () => {
  it('ends the tree with taskkill, with and without waiting', async () => {
    const runs: unknown[] = [];
    const kill = (): void => void runs.push(['kill']);
    const tree = createWindowsTree(42, kill, {
      start: async (args) => {
        runs.push(['start', ...args]);
        return 0;
      },
      run(args) {
        runs.push(['run', ...args]);
        return 0;
      },
    });
    tree.signal('SIGTERM');
    tree.signal('SIGKILL');
    tree.killNow();
    const args = ['/PID', '42', '/T', '/F'];
    expect(runs).toEqual([
      ['start', ...args],
      ['start', ...args],
      ['run', ...args],
    ]);
    expect(await tree.hasSurvivors()).toBe(false);
  });

  it.each([1, 255, undefined])('ends the server alone if taskkill fails with %j', async (code) => {
    let kills = 0;
    let now = code;
    const tree = createWindowsTree(42, () => void kills++, { start: async () => now, run: () => now });
    tree.signal('SIGTERM');
    expect(await tree.hasSurvivors()).toBe(true);
    tree.killNow();
    expect(kills).toBe(2);
    // It is gone, and what it had started may not be.
    now = 128;
    tree.signal('SIGKILL');
    expect(await tree.hasSurvivors()).toBe(true);
    expect(kills).toBe(2);
  });

  it('counts a process that taskkill does not find as ended', async () => {
    const tree = createWindowsTree(42, () => expect.fail('it is gone'), {
      start: async () => 128,
      run: () => 128,
    });
    tree.signal('SIGTERM');
    expect(await tree.hasSurvivors()).toBe(false);
  });

  it.runIf(process.platform === 'win32')(
    'ends a server without taskkill, and says what may remain',
    async () => {
      const { SystemRoot } = process.env;
      process.env['SystemRoot'] = String.raw`C:\nowhere`;
      onTestFinished(() => void (process.env['SystemRoot'] = SystemRoot));
      const client = await startToy({ flags: STUBBORN, shutdown: SHORT });
      const pid = client.transport.pid ?? 0;
      await client.transport.close();
      expect(isRunning(pid)).toBe(false);
      expect(client.errors.map(({ message }) => message)).toEqual([
        `Server "toy": The server (process ${pid}) or what it started could not be ended, and may still run.`,
      ]);
    },
  );
});

describe('when this process exits', () => {
  it('no server and no grandchild is left', async () => {
    const host = spawn(
      process.execPath,
      [fileURLToPath(new URL('support/leaving-host.mjs', import.meta.url))],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let output = '';
    host.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = await once(host, 'close');
    expect(code).toBe(0);
    const pids = output.trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await until(() => !pids.some(isRunning));
  });

  it('listens only while there are servers, and without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const listeners = process.listenerCount('exit');
    const limit = process.getMaxListeners();
    const plugin = stdio();
    const { command, args = [] } = toy();
    // Node.js accepts ten listeners without a warning.
    const transports = Array.from({ length: 12 }, (_, index) =>
      plugin.create({ command, args }, { server: `toy ${index}` }),
    );
    await Promise.all(transports.map((transport) => transport.start()));
    expect(process.listenerCount('exit')).toBe(listeners + 12);
    await Promise.all(transports.map((transport) => transport.close()));
    expect(process.listenerCount('exit')).toBe(listeners);
    expect(process.getMaxListeners()).toBe(limit);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });
});
