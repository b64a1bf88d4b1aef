import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { describe, expect, it } from 'vitest';
import { kitOptions } from './support/kit-options.mjs';

transportSuite({ describe, it }, kitOptions(createSseTransport));

it('passes the contract suite under node --test too, as it is built', { timeout: 120_000 }, async () => {
  const file = fileURLToPath(new URL('node/kit.mjs', import.meta.url));
  // Rejects when the exit code is not 0.
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file]);
  expect(stdout).toMatch(/# pass [1-9]/);
  expect(stdout).toMatch(/# fail 0\n/);
  expect(stdout).toMatch(/# skipped 0\n/);
});
