import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../../compat/test/support/code-blocks.js';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** Below `adapters`, so that a block finds the frameworks. */
const folder = join(import.meta.dirname, '../.frameworks');
const blocks = codeBlocks(root, 'docs/frameworks.md');

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  for (const { file, code } of blocks) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), code);
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'esnext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ['node'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the recipes of docs/frameworks.md', () => {
  it('compile', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await execute(process.execPath, [tsc, '-p', folder]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe('');
  }, 60_000);

  it.each(blocks.filter(({ imported }) => !imported))(
    'run: $place',
    async ({ file }) => {
      const program = join(folder, file.replace(/\.ts$/, '.js'));
      const { stdout } = await execute(process.execPath, [program], {
        cwd: root,
        timeout: 25_000,
        env: {
          ...process.env,
          PATH: `${join(import.meta.dirname, '../bin')}:${process.env['PATH'] ?? ''}`,
        },
      });
      expect(stdout).toContain('The sum of 40 and 2 is 42.');
    },
    30_000,
  );
});
