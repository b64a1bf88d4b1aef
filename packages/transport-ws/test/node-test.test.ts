import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FILE = fileURLToPath(new URL('./support/contract.node-test.mjs', import.meta.url));

it('the built packages pass the contract under `node --test`', { timeout: 120_000 }, async () => {
  // Without vitest's own variables the child is a plain test run.
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--test', '--test-reporter=tap', '--test-timeout=60000', FILE],
    { env: { PATH, HOME }, maxBuffer: 64 * 1024 * 1024 },
  );
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(stdout).toMatch(/^# pass [1-9]\d+$/m);
});
