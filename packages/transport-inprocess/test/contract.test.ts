import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { describe, expect, it } from 'vitest';
import { contracts } from './support/contracts.mjs';

for (const contract of contracts) transportSuite({ describe, it }, contract);

describe('under node --test, as published', () => {
  it('T9, T10: every contract holds', async () => {
    const file = fileURLToPath(new URL('./support/contracts.node-test.mjs', import.meta.url));
    const env = { ...process.env, NODE_OPTIONS: '' };
    const run = promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], { env });
    const { stdout } = await run;
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(stdout).toMatch(/^# skipped 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(150);
  }, 60_000);
});
