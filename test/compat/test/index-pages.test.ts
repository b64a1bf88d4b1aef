import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publicPackages } from '../../../scripts/workspace.mjs';

const root = join(import.meta.dirname, '../../..');
const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');

it('the list of pages leads to every page, and the README to the list', () => {
  const text = readFileSync(join(root, 'docs/README.md'), 'utf8');
  expect(pages.filter((page) => !text.includes(`(${page})`))).toEqual([]);
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('(docs/README.md)');
});

it('the README leads to every example, and each has a README', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const examples = readdirSync(join(root, 'examples'));
  expect(examples.filter((name) => !text.includes(`(examples/${name})`))).toEqual([]);
  for (const name of examples) expect(readdirSync(join(root, 'examples', name))).toContain('README.md');
});

it('decisions are numbered without gaps, and each file has the name of its title', () => {
  const folder = join(root, 'docs/decisions');
  const files = readdirSync(folder).toSorted();
  const names = files.map((file, index) => {
    const title = /^# (.+)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? '';
    const words =
      title
        .toLowerCase()
        .replaceAll("'", '')
        .match(/[a-z0-9]+/g) ?? [];
    return `${[String(index + 1).padStart(3, '0'), ...words.slice(1)].join('-')}.md`;
  });
  expect(files).toEqual(names);
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
