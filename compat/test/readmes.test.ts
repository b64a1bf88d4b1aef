import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from './support/code-blocks.js';
import { compileBlocks, waysToRun, type CompiledBlocks } from './support/compiled-blocks.js';

const root = join(import.meta.dirname, '../..');

const pages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}/README.md`)
  .filter((page) => existsSync(join(root, page)));
/** The first TypeScript of each package's README: the example that a new user copies. Its JavaScript is a sketch. */
const examplesOf = (page: string) => codeBlocks(root, page).filter(({ language }) => language === 'ts');
const examples = pages.flatMap((page) => examplesOf(page).slice(0, 1));

let compiled: CompiledBlocks;
beforeAll(async () => {
  compiled = await compileBlocks(examples);
}, 60_000);
afterAll(() => compiled[Symbol.asyncDispose]());

describe('the example of each README', () => {
  it('is there', () => {
    expect(pages.filter((page) => examplesOf(page).length === 0)).toEqual([]);
  });

  it('compiles', () => {
    expect(compiled.complaints).toBe('');
  });

  const runs = examples.flatMap((block) =>
    waysToRun(block).map((how) => ({ block, how, place: block.place })),
  );
  it.each(runs)('B1: runs and ends by itself, $how: $place', async ({ block, how }) => {
    expect(block.code.length).toBeGreaterThan(100);
    await compiled.run(block, how);
  });
});
