import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));
const MANIFEST = JSON.parse(readFileSync(join(SOURCE, '../package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
  readonly dependencies: object;
};
const ENTRIES = Object.keys(MANIFEST.exports)
  .filter((entry) => entry !== './package.json')
  .map((entry) => entry.slice(2));

/** Returns the subjects, that is, entries and folders, that an entry point loads. */
function loads(entry: string): string[] {
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const code = readFileSync(join(SOURCE, file), 'utf8');
    for (const [, target] of code.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)\.js'/gm))
      visit(`${posix.join(dirname(file), target!)}.ts`);
  };
  visit(`${entry}.ts`);
  return [...new Set([...files].map((file) => file.split('/')[0]!.replace(/\.ts$/, '')))]
    .filter((subject) => subject !== entry)
    .toSorted();
}

it('the source of each entry point loads what it exports, and what that needs', () => {
  expect(Object.fromEntries(ENTRIES.map((entry) => [entry, loads(entry)]))).toEqual({
    'base-transport': ['errors', 'messages', 'text', 'timing'],
    messages: [],
    framing: ['messages'],
    entries: ['messages', 'text'],
    errors: [],
    logging: [],
    timing: [],
    text: [],
    files: ['errors', 'timing'],
    programs: ['errors'],
    platform: [],
    'own-program': [],
    connect: ['entries', 'messages', 'platform', 'text'],
    refusal: ['connect', 'errors', 'messages', 'platform', 'text', 'timing'],
    tls: [],
    'parameter-headers': ['messages', 'text'],
    tasks: ['messages', 'text'],
    'private-socket': ['errors', 'files', 'text'],
    stores: ['errors', 'files', 'messages', 'timing'],
  });
});

it('depends on the contracts only', () => {
  expect(Object.keys(MANIFEST.dependencies)).toEqual(['@mcp-fittings/client-core']);
});

/** Files that several entry points are published as, and the folder of what `imports` chooses. */
const TOGETHER = ['common', 'hash', 'remote'];

it('every file belongs to an entry point', () => {
  const subjects = readdirSync(SOURCE).map((name) => name.replace(/\.ts$/, ''));
  expect(subjects.filter((subject) => !ENTRIES.includes(subject))).toEqual(TOGETHER);
});

it('an entry point is published in a file that exports all of it', () => {
  const pairs = ENTRIES.map((entry) => [
    `../dist/${entry}.js`,
    posix.join('..', MANIFEST.exports[`./${entry}`]!.default),
  ]);
  const code = `
    for (const [entry, file] of ${JSON.stringify(pairs)}) {
      const [own, published] = [await import(entry), await import(file)];
      for (const name of Object.keys(own)) if (published[name] !== own[name]) console.log(entry, name);
    }
  `;
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], options)).toBe('');
});

it.each(['base-transport', 'connect', 'refusal', 'text'])(
  '%s loads no sockets, TLS or cryptography',
  (entry) => {
    // In a process of its own and from what is built: `tsc -b` first.
    const code = `
    const before = new Set(process.moduleLoadList);
    await import('@mcp-fittings/toolbox/${entry}');
    const loaded = process.moduleLoadList.filter((name) => !before.has(name));
    console.log(JSON.stringify(loaded.filter((name) => /^NativeModule (net|tls|crypto|http)$/.test(name))));
  `;
    const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
    expect(JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], options))).toEqual(
      [],
    );
  },
);
