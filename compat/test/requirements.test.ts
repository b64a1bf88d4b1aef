/** docs/requirements.md says what each id at the beginning of a test title means. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { citedIn, titlesOf } from './support/citations.js';

const root = join(import.meta.dirname, '../..');
const testFolders = [
  ...['packages', 'examples'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}/test`),
  ),
  'bench/test',
  'compat/test',
].filter((folder) => existsSync(join(root, folder)));
const KIT = 'packages/testkit/src';

/** The `.ts` files below a folder of the repository. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);

/** Ids, and the first file that cites each. */
function citations(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const file of [...testFolders, KIT].flatMap(filesBelow)) {
    for (const title of titlesOf(join(root, file), file.startsWith(KIT))) {
      for (const id of citedIn(title)) if (!found.has(id)) found.set(id, file);
    }
  }
  return found;
}

/** The tables of the page, each as the cells of its rows. */
const tables = readFileSync(join(root, 'docs/requirements.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) =>
    section
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:id |-)/.test(line))
      .map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
const rows = tables.flat();
const listed = new Set(rows.map(([id = '']) => id));

it.each([
  ['CF-09 a pipe', ['CF-09']],
  ['S12: credentials', ['S12']],
  ['CO-08, CO-09 refuses: %s', ['CO-08', 'CO-09']],
  ['S36: KC-11 deep values', ['S36', 'KC-11']],
  ['F2, R1, C2: a failed list', ['F2', 'R1', 'C2']],
  ['T5 PAINS-9 ends the tree', ['T5', 'PAINS 9']],
  ['SPEC 76-79 signs in', ['SPEC 76', 'SPEC 77', 'SPEC 78', 'SPEC 79']],
  ['SPEC 24, 25 the headers', ['SPEC 24', 'SPEC 25']],
  ['SPEC 14, T12 falling back', ['SPEC 14', 'T12']],
  ['U3 SPEC B.5 44 the declared revision', ['U3', 'SPEC 44']],
  ['D.1-10, PAINS 3 silence', ['D.1-10', 'PAINS 3']],
  ['minor 13: Ctrl-C', ['minor 13']],
  ['HOUSE: a signal', ['HOUSE']],
  ['ES256 and HS256', []],
  ['foreign Host (HT-17)', []],
])('reads the ids of the title %j', (title, ids) => {
  expect(citedIn(title)).toEqual(ids);
});

it('reads titles, with what the rows put at their beginning, and the names of cases in the kit only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'titles-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.ts');
  writeFileSync(
    file,
    `const rows = [['T4 a cell', 'T5 another cell'], ['T6 a cell']];
    describe.each([{ name: 'T1 a row' }])('$name', () => {
      it.runIf(posix)(\`T2 \${x}: y\`, () => expect('T3 a text').toBe(x));
      it.each(rows)('%s', () => {});
    });
    describeWithRedis('T7 a wrapper', [{ name: 'T8 a case' }]);
    // it('T9 a comment')`,
  );
  const ids = (isKit: boolean) => titlesOf(file, isKit).flatMap(citedIn).toSorted();
  expect(ids(false)).toEqual(['T1', 'T2', 'T4', 'T6', 'T7']);
  expect(ids(true)).toEqual(['T1', 'T1', 'T2', 'T4', 'T6', 'T7', 'T8']);
});

it('every id that a test title cites is on the page', () => {
  const missing = [...citations()].filter(([id]) => !listed.has(id));
  expect(missing.map(([id, file]) => `${id} of ${file}`)).toEqual([]);
});

it('every id on the page is cited by a test title', () => {
  const cited = citations();
  expect([...listed].filter((id) => !cited.has(id))).toEqual([]);
});

it('every row has an id, a sentence and a source, and no table has an id twice', () => {
  expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
  expect(rows.filter(([, sentence = '']) => !sentence.endsWith('.'))).toEqual([]);
  for (const table of tables) {
    const ids = table.map(([id]) => id);
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([]);
  }
});
