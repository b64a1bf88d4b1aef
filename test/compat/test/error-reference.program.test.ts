import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

it('docs/errors.md is what the code says', async () => {
  await run(process.execPath, ['scripts/generate-error-reference.mjs', '--check'], { cwd: root });
});
