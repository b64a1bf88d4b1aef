import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWithRedis } from '../../../packages/store-redis/test/support/describe-with-redis.js';

const run = join(import.meta.dirname, '../../../bench/fleet/run.mjs');

describeWithRedis('replicas that are killed', () => {
  it(
    'no call is carried out twice or reported untruthfully, and no token crosses or is refused',
    { timeout: 400_000 },
    async () => {
      const child = spawn(process.execPath, [run, '15', '12', '6'], { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.on('data', (chunk) => (said += String(chunk)));
      const [code] = await once(child, 'exit');
      expect(said).toMatch(/replicas killed +[1-9]/);
      expect(said).toMatch(/Redis was killed/);
      expect(code, said).toBe(0);
    },
  );
});
