/** A real `redis-server` on a free port that can be killed and started again on its data. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../scripts/free-port.mjs';

/** @param {{ isPersistent: boolean }} options without persistence, a restart loses everything */
export async function startRedis({ isPersistent }) {
  const folder = mkdtempSync(join(tmpdir(), 'fittings-fleet-redis-'));
  const port = await freePort();
  const lasting = isPersistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder, ...lasting];
  let child;
  const start = async () => {
    child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('Ready to accept connections')) return child.stdout.resume();
    }
    throw new Error('redis-server did not start.');
  };
  const kill = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    async restart() {
      await kill();
      await start();
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
