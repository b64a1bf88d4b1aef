import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const DEATHS = rounds(60);

it('never has two holders, even if processes are killed while they hold the lock', async () => {
  await using temporary = await temporaryDirectory();
  const worker = fileURLToPath(new URL('./support/lock-worker.mjs', import.meta.url));
  const log = (): string[] => {
    try {
      return readFileSync(join(temporary.path, 'log'), 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  const children = new Set<ChildProcess>();
  let deaths = 0;
  const over = new Promise<void>((resolve, reject) => {
    const start = (): void => {
      const child = spawn(process.execPath, [worker, temporary.path, '0.05'], { stdio: 'inherit' });
      children.add(child);
      child.once('exit', (code, signal) => {
        children.delete(child);
        if (signal !== 'SIGKILL') reject(new Error(`a worker failed with ${String(code)}`));
        else if (++deaths < DEATHS) start();
        else resolve();
      });
    };
    for (let n = 0; n < 6; n++) start();
  });
  try {
    await over;
  } finally {
    for (const child of children) child.removeAllListeners('exit').kill('SIGKILL');
    await Promise.all([...children].map((child) => new Promise((resolve) => child.once('close', resolve))));
  }
  expect(log().length).toBeGreaterThan(DEATHS);
  expect(log().filter((line) => line !== 'alone')).toEqual([]);
});
