/** SECURITY.md promises nothing that no test shows. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
/** A link to a test file; its title, if it has one, is the title of the test that shows the promise. */
const TESTS =
  /\[([^\]]+)\]\(((?:packages\/[\w-]+|test\/compat)\/test\/[^)#\s]+)(?: (?:'([^']+)'|"([^"]+)"))?\)/g;

interface Citation {
  readonly file: string;
  readonly title: string | undefined;
}

const citationsOf = (text: string): readonly Citation[] =>
  [...text.matchAll(TESTS)].map(([, , file = '', single, double]) => ({ file, title: single ?? double }));

/** The source of a test file without its comments: a title in a comment shows nothing. */
const withoutComments = (source: string): string =>
  source
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .join('\n');

const section = (heading: string): string =>
  readFileSync(join(root, 'SECURITY.md'), 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`)) ?? '';

const groups = section('Attackers and promises').split(/^### /m).slice(1);
const promises = groups.flatMap((group) => {
  const attacker = group.slice(0, group.indexOf('\n'));
  return group
    .split(/^- /m)
    .slice(1)
    .map((promise) => [`${attacker}: ${promise.replaceAll(/\s+/g, ' ').slice(0, 80)}`, promise] as const);
});

describe('SECURITY.md', () => {
  it('has promises about each attacker', () => {
    expect(groups.map((group) => group.slice(0, group.indexOf('\n')))).toEqual([
      'A cloned folder',
      'A hostile server',
      'A hostile authorization server',
      'Another user of the machine, or of the host program',
      'A web page',
      'The network',
      'A model',
    ]);
    for (const group of groups) expect(group.split(/^- /m).length).toBeGreaterThan(2);
  });

  it.each(promises)('a test shows it, and has the title: %s', (_, promise) => {
    const citations = citationsOf(promise);
    expect(citations).not.toEqual([]);
    for (const { file, title } of citations) {
      expect(file).toMatch(/\.test\.ts$/);
      expect(existsSync(join(root, file)), file).toBe(true);
      const source = withoutComments(readFileSync(join(root, file), 'utf8'));
      if (title !== undefined) expect(source, `the title in ${file}`).toContain(title);
    }
  });

  it('names each thing that is not guaranteed', () => {
    const gaps = section('What is not guaranteed').split(/^- /m).slice(1);
    expect(gaps.length).toBeGreaterThan(15);
    for (const gap of gaps) expect(gap).toMatch(/^\*\*[^*]+\*\*/);
  });
});
