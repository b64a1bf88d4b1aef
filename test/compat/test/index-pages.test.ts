import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');

it.each([
  ['README.md', 'docs/'],
  ['docs/README.md', ''],
])('%s leads to every page', (index, folder) => {
  const text = readFileSync(join(root, index), 'utf8');
  expect(pages.filter((page) => !text.includes(`(${folder}${page})`))).toEqual([]);
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
