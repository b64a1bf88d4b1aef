import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeWithRedis } from './support/describe-with-redis.js';
import { startRedis } from './support/redis-server.js';

describeWithRedis('the example of the README, with a Redis', () => {
  it('shares a credential', async () => {
    await using redis = await startRedis();
    const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    const file = join(import.meta.dirname, `.readme-${process.pid}.mjs`);
    await writeFile(file, code);
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [file], {
        env: { ...process.env, REDIS_URL: redis.url },
      });
      expect(stdout).toContain("refreshToken: 'r2'");
    } finally {
      await rm(file);
    }
  });
});
