import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '../../../../scripts/free-port.mjs';
import { dieWithUs } from './die-with-us.js';
import type { RedisServer } from './redis-server.js';

export interface Sentinel extends AsyncDisposable {
  readonly port: number;
  /** Number of replicas of the primary that it knows. */
  replicas(): Promise<number>;
}

/** A real Sentinel that watches this primary as `fleet`, with short timeouts. */
export async function startSentinel(primary: RedisServer): Promise<Sentinel> {
  const folder = await mkdtemp(join(tmpdir(), 'store-redis-'));
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  await writeFile(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor fleet 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds fleet 300',
      'sentinel failover-timeout fleet 2000',
      '',
    ].join('\n'),
  );
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'inherit'] });
  dieWithUs(child);
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line.includes('+monitor')) resolve();
    });
  });
  return {
    port,
    async replicas() {
      const args = ['-p', String(port), '--json', 'SENTINEL', 'REPLICAS', 'fleet'];
      const { stdout } = await promisify(execFile)('redis-cli', args);
      const found: unknown = JSON.parse(stdout);
      return Array.isArray(found) ? found.length : 0;
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
