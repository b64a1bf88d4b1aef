import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startBridge } from './support/bridge-process.js';
import { untilDead } from '../../transport-stdio/test/support/processes.js';
import { openWorkspace, type Run, type Workspace } from './support/workspace.js';

const COUNTED = fileURLToPath(new URL('support/counted-server.mjs', import.meta.url));

interface SharedWorkspace extends Workspace {
  /** Process ids of the servers that have started. */
  starts(): readonly number[];
  shared(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>;
  readonly runtime: string;
  readonly file: string;
}

/** A workspace with one configured server, and a runtime folder of its own for the shared process. */
async function openShared(entry: object = {}): Promise<SharedWorkspace> {
  const workspace = await openWorkspace();
  const runtime = await mkdtemp(join(tmpdir(), 'rt-'));
  const log = join(workspace.home, 'starts');
  await writeFile(log, '');
  const file = join(workspace.home, 'servers.json');
  const counted = { command: process.execPath, args: [COUNTED, log], ...entry };
  await writeFile(file, JSON.stringify({ mcpServers: { counted } }));
  const options = ['--strict-mcp-config', '--mcp-config', file];
  return {
    ...workspace,
    runtime,
    file,
    starts: () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number),
    shared: (args, env = {}) =>
      workspace.fittings([...options, ...args], {
        env: { XDG_RUNTIME_DIR: runtime, FITTINGS_SHARED: '1', ...env },
      }),
    async [Symbol.asyncDispose]() {
      for (const pid of pidsIn(runtime)) {
        try {
          process.kill(pid, 'SIGTERM');
        } catch {
          continue;
        }
        await untilDead(pid);
      }
      await workspace[Symbol.asyncDispose]();
      await rm(runtime, { recursive: true, force: true });
    },
  };
}

function pidsIn(runtime: string): readonly number[] {
  try {
    const log = readFileSync(join(runtime, 'mcp-fittings', 'shared.log'), 'utf8');
    return [...log.matchAll(/process has started\. pid=(\d+)/g)].map(([, pid]) => Number(pid));
  } catch {
    return [];
  }
}

const CALL = ['call', 'counted/echo', 'text=hi'];

describe('fittings --shared', () => {
  it('commands start a server once, and --no-shared starts its own', async () => {
    await using workspace = await openShared();
    for (let count = 0; count < 3; count++) {
      expect(await workspace.shared(CALL)).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
    }
    expect(workspace.starts()).toHaveLength(1);
    expect(await workspace.shared([...CALL, '--no-shared'])).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(workspace.starts()).toHaveLength(2);
  });

  it('serve says where it listens, refuses a second one, and ends on SIGTERM', async () => {
    await using workspace = await openShared();
    const { home, runtime } = workspace;
    const serving = startBridge(['serve', '--socket'], home, { XDG_RUNTIME_DIR: runtime });
    await expect.poll(() => serving.lines.join('')).toContain(join(runtime, 'mcp-fittings', 'shared-1.sock'));
    expect(await workspace.shared(['serve', '--socket'])).toMatchObject({ code: 3 });
    expect(await workspace.shared(CALL)).toMatchObject({ code: 0, stdout: 'hi\n' });
    serving.child.kill('SIGTERM');
    expect(await serving.exited).toBe(143);
    for (const pid of workspace.starts()) await untilDead(pid);
  });

  it('a variable that servers inherit means another server', async () => {
    await using workspace = await openShared();
    await workspace.shared(CALL);
    expect(await workspace.shared(CALL, { LANG: 'de_DE.UTF-8' })).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(workspace.starts()).toHaveLength(2);
  });

  it('a failed tool has exit code 1, and the loss of the server is unknown', async () => {
    await using workspace = await openShared();
    expect(await workspace.shared(['call', 'counted/fail'])).toMatchObject({ code: 1 });
    const dead = await workspace.shared(['--json', 'call', 'counted/die']);
    expect(JSON.parse(dead.stdout)).toMatchObject({ error: { code: 'PROCESS_EXITED', delivery: 'unknown' } });
    expect(await workspace.shared(CALL)).toMatchObject({ code: 0, stdout: 'hi\n' });
  });
});
