import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../../compat/test/support/code-blocks.js';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
/** Below `test/adapters`, so that a block finds the frameworks. */
const folder = join(import.meta.dirname, '../.readmes');
const pages = (await readdir(join(root, 'packages')))
  .filter((name) => name.startsWith('adapter-'))
  .map((name) => `packages/${name}/README.md`);
const blocks = [...pages, 'docs/frameworks.md'].flatMap((page) => codeBlocks(root, page));
/** The first block of each page: an agent that calls a tool. */
const firsts = pages.map((page) => codeBlocks(root, page)[0]?.file);
const ANSWER = 'The sum of 40 and 2 is 42.';

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

describe('the code of the READMEs of the adapters, and of the recipes for frameworks', () => {
  it('is there', () => expect(blocks.length).toBeGreaterThanOrEqual(pages.length));

  it('compiles and runs', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await execute(process.execPath, [tsc, '-p', folder]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe('');
    for (const { file, code, imported } of blocks) {
      if (imported) continue;
      const program = join(folder, file.replace(/\.ts$/, '.js'));
      const { stdout: said } = await execute(process.execPath, [program], {
        cwd: root,
        timeout: 60_000,
        env: environment,
      });
      expect(said).not.toBe('');
      if (firsts.includes(file) || code.includes(`// ${ANSWER}`)) expect(said).toContain(ANSWER);
    }
  }, 300_000);
});

/** `npx -y @scope/name` of a block runs what is installed here. */
const environment = {
  ...process.env,
  PATH: `${join(import.meta.dirname, '../bin')}:${process.env['PATH'] ?? ''}`,
};
