import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/comparison.md'), 'utf8');
/** What the table of features says that an entry point exports. */
const features = [...page.matchAll(/`([a-z][\w.-]+)`: ((?:`\w+`(?:, )?)+)/g)].flatMap(
  ([, entry = '', names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, string] => [entry, name]),
);

it('the page names exports of most parts', () => {
  expect(features.length).toBeGreaterThan(12);
});

it.each(features)('%s exports %s', (entry, name) => {
  const report = readFileSync(join(root, `api/${entry}.api.md`), 'utf8');
  expect(report).toMatch(new RegExp(`^export (?:declare )?(?:function|const|class) ${name}\\b`, 'm'));
});
