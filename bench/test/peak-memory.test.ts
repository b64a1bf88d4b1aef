import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MIB = 1024 * 1024;
const program = fileURLToPath(new URL('support/print-peak.mjs', import.meta.url));

/** Prints what a process prints that this one starts while it holds 400 MiB. */
const LARGE_PARENT = `
  const { execFileSync } = require('node:child_process');
  const ballast = Buffer.alloc(${400 * MIB}, 1);
  process.stdout.write(execFileSync(process.execPath, [${JSON.stringify(program)}]));
  process.exitCode = ballast[0] - 1;
`;

describe.runIf(process.platform === 'linux')('the peak of the memory of a process', () => {
  it('is not that of the process that started it', () => {
    const peak = Number(execFileSync(process.execPath, ['--eval', LARGE_PARENT], { encoding: 'utf8' }));
    expect(peak).toBeGreaterThan(10 * MIB);
    expect(peak).toBeLessThan(300 * MIB);
  });
});
