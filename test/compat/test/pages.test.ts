/** What pages say of the packages, and of one another. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FINDING_CODES } from '@mcp-fittings/cli';
import { describe, expect, it } from 'vitest';
import { publicPackages } from '../../../scripts/workspace.mjs';
import { pagesBelow } from './support/code-blocks.js';
import { membersOf } from './support/members-of.js';

const root = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('docs/comparison.md', () => {
  const page = read('docs/comparison.md');
  /** What the table of features says that an entry point exports. */
  const features = [...page.matchAll(/`([a-z][\w.-]+)`: ((?:`\w+`(?:, )?)+)/g)].flatMap(
    ([, entry = '', names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, string] => [entry, name]),
  );

  it('the page names exports of most parts', () => {
    expect(features.length).toBeGreaterThan(12);
  });

  it.each(features)('%s exports %s', (entry, name) => {
    const report = read(`api/${entry}.api.md`);
    expect(report).toMatch(new RegExp(`^export (?:declare )?(?:function|const|class) ${name}\\b`, 'm'));
  });
});

describe('docs/host.md', () => {
  const page = read('docs/host.md');
  /** What the page says in code: `name`, or `name(…)`. */
  const named = new Set([...page.matchAll(/`([A-Za-z]+)(?:\([^`]*\))?`/g)].map(([, name]) => name ?? ''));
  /** For testing, and of no use to a reader of the page. */
  const LEFT_OUT = ['clock', 'random'];

  it.each([
    ['host.ts', 'Host'],
    ['host-options.ts', 'HostOptions'],
    ['host.ts', 'HostEvents'],
    ['host.ts', 'CallOptions'],
    ['server-requests.ts', 'HostCallbacks'],
    ['state.ts', 'ServerSnapshot'],
  ])('the page of the host has every member: %s, %s', (file, name) => {
    const members = membersOf(`packages/host/src/contracts/${file}`, name);
    expect(members.length).toBeGreaterThan(2);
    expect(
      members.filter((member) => /^\w+$/.test(member) && !named.has(member) && !LEFT_OUT.includes(member)),
    ).toEqual([]);
  });

  it('the page of the host has every state', () => {
    const source = read('packages/host/src/contracts/state.ts');
    const states = [...source.matchAll(/status: '([\w-]+)'/g)].map(([, status = '']) => status);
    expect(states).toHaveLength(8);
    expect(states.filter((status) => !page.includes(`| \`${status}\``))).toEqual([]);
  });
});

describe('docs/troubleshooting.md', () => {
  const page = read('docs/troubleshooting.md');
  it('the page has every finding of the doctor', () => {
    expect(Object.keys(FINDING_CODES).length).toBeGreaterThan(40);
    const missing = Object.keys(FINDING_CODES).filter((code) => !page.includes(`\`${code}\``));
    expect(missing).toEqual([]);
  });

  it('the page names no code that neither the doctor nor an error has', () => {
    const errors = read('docs/errors.md');
    const named = [...page.matchAll(/`([A-Z]{2,}(?:_[A-Z]+)+)`/g)].map(([, code = '']) => code);
    const known = (code: string): boolean => code in FINDING_CODES || errors.includes(`\`${code}\``);
    expect(named.filter((code) => !known(code) && !['HTTPS_PROXY', 'NO_PROXY'].includes(code))).toEqual([]);
  });
});

const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');

it('the list of pages leads to every page, and the README to the list', () => {
  const text = read('docs/README.md');
  expect(pages.filter((page) => !text.includes(`(${page})`))).toEqual([]);
  expect(read('README.md')).toContain('(docs/README.md)');
});

it('the README leads to every example, and each has a README', () => {
  const text = read('README.md');
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
  const page = read('docs/architecture.md');
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
  const page = read('README.md');
  const named = [...page.matchAll(/^\| \[`([\w-]+)`\]\(packages\/\1\)/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(publicPackages(root).map(({ folder }) => folder)));
});

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

const linking = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...pagesBelow(root, 'docs'),
  ...['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/README.md`),
  ),
].filter((page) => existsSync(join(root, page)));

/** What GitHub makes of a heading. */
function anchors(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

it.each(linking)('every link leads somewhere: %s', (source) => {
  const text = read(source).replaceAll(/^```[\s\S]*?^```/gm, '');
  const broken = [...text.matchAll(LINK)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(root, source) : join(root, dirname(source), path);
      if (!existsSync(file)) return true;
      const page = statSync(file).isDirectory() ? join(file, 'README.md') : file;
      return anchor !== undefined && !anchors(page).includes(anchor);
    });
  expect(broken).toEqual([]);
});
