import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, unusedHelpers } from './support/code-blocks.js';
import { compileBlocks, waysToRun, type CompiledBlocks } from './support/compiled-blocks.js';

const root = join(import.meta.dirname, '../../..');

/** The frameworks of the adapters are not installed here: test/adapters/test/readmes.test.ts runs their READMEs. */
const pages = readdirSync(join(root, 'packages'))
  .filter((name) => !name.startsWith('adapter-'))
  .map((name) => `packages/${name}/README.md`)
  .filter((page) => existsSync(join(root, page)));
const blocks = pages.flatMap((page) => codeBlocks(root, page));
/** The first of each README: the example that a new user copies. */
const examples = pages.flatMap((page) =>
  blocks.filter(({ place }) => place.startsWith(`${page}:`)).slice(0, 1),
);

let compiled: CompiledBlocks;
beforeAll(async () => {
  compiled = await compileBlocks(blocks);
});
afterAll(() => compiled[Symbol.asyncDispose]());

describe('every code block of a README', () => {
  it('is there, and the first is an example to copy', () => {
    expect(examples).toHaveLength(pages.length);
    expect(examples.filter(({ code, imported }) => imported || code.length <= 100)).toEqual([]);
  });

  it('compiles', () => {
    expect(compiled.complaints).toBe('');
  });

  it('one that does not run by itself is imported by one that does', () => {
    expect(unusedHelpers(blocks).map(({ place }) => place)).toEqual([]);
  });

  const runs = blocks
    .filter(({ imported }) => !imported)
    .flatMap((block) => waysToRun(block).map((how) => ({ block, how, place: block.place })));
  it.each(runs)('runs and ends by itself, $how: $place', ({ block, how }) => compiled.run(block, how));
});
