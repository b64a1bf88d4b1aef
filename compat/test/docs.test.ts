import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicPackages } from '../../scripts/workspace.mjs';
import { codeBlocks, pagesBelow } from './support/code-blocks.js';
import { compileBlocks, waysToRun, type CompiledBlocks } from './support/compiled-blocks.js';

const root = join(import.meta.dirname, '../..');
const blocks = ['README.md', ...pagesBelow(root, 'docs')].flatMap((page) => codeBlocks(root, page));

let compiled: CompiledBlocks;
beforeAll(async () => {
  compiled = await compileBlocks(blocks);
}, 60_000);
afterAll(() => compiled[Symbol.asyncDispose]());

describe('every code block of the documentation', () => {
  it('compiles', () => {
    expect(compiled.complaints).toBe('');
  });

  const runs = blocks
    .filter((block) => block.runs)
    .flatMap((block) => waysToRun(block).map((how) => ({ block, how, place: block.place })));
  it.each(runs)('B1: runs and ends by itself, $how: $place', ({ block, how }) => compiled.run(block, how));
});

it('the architecture page has every package, with what it stands on and brings', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| [`'))
    .map((line) => line.replaceAll(/ +/g, ' '));
  const list = (names: readonly string[]): string =>
    names.map((name) => `\`${name}\``).join(', ') || 'nothing';
  const expected = publicPackages(root).map(({ folder, manifest }) => {
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).toSorted();
    const ours = needed.filter((name) => name.startsWith('@mcp-fittings/'));
    const others = needed.filter((name) => !ours.includes(name));
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
    const ourNames = ours.map((name) => name.slice('@mcp-fittings/'.length));
    return `| [\`${folder}\`](../packages/${folder}/README.md) | ${list(ourNames)} | ${list(others)} | ${list(entries)} |`;
  });
  expect(rows.toSorted()).toEqual(expected.toSorted());
});

it('the README has every package', () => {
  const page = readFileSync(join(root, 'README.md'), 'utf8');
  const named = [...page.matchAll(/^\| \[`([\w-]+)`\]\(packages\/\1\)/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(publicPackages(root).map(({ folder }) => folder)));
});
