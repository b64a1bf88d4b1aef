import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('M5 a run that a leak keeps alive is ended, and says what held it', () => {
  const suite = fileURLToPath(new URL('support/hanging-suite.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [suite], {
    encoding: 'utf8',
    timeout: 25_000,
  });
  expect(status).toBe(1);
  expect(stdout).toContain(
    'nothing keeps the process alive after a close() during start(), but 1 Timeout does',
  );
  expect(stderr).toContain('The transport leaves 1 Timeout behind; the contract suite ends the run.');
}, 30_000);
