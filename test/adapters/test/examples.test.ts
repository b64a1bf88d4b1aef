import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../examples');
const examples = readdirSync(folder).filter((file) => file !== 'task.mjs');

describe('an agent on three real servers finishes its task', () => {
  it.each(examples)('%s', async (file) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, file)], { timeout: 25_000 });
    expect(stdout).toContain('vault: needs-auth');
    expect(stdout).toContain('vault: signed in, connected');
    expect(stdout).toMatch(/mcp__flaky__measure.*unknown/);
    expect(stdout).toContain('Finished: Took 42 parts with take-from-shelf-21.');
  });
});
