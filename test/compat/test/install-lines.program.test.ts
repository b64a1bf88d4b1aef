import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publicPackages } from '../../../scripts/workspace.mjs';
import { codeBlocks, pagesBelow } from './support/code-blocks.js';
import { createReaderProject, type ReaderProject } from './support/reader-project.js';

const root = join(import.meta.dirname, '../../..');
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

const STEP = /^Save as `([\w.]+)`:$|^```(sh|ts)\b[^\n]*\n([\s\S]*?)^```/gm;

/** Does what a page says: types its shell blocks, saves its code as the file that it names. `code` is what is saved without a block. */
async function follow(project: ReaderProject, text: string, code = ''): Promise<string> {
  let written = '';
  let file = '';
  for (const { 1: name, 2: language, 3: content = '' } of text.matchAll(STEP)) {
    if (name !== undefined) {
      file = name;
      if (code !== '') await project.save(file, code);
    } else if (language === 'ts') await project.save(file, content);
    else written += await project.type(content);
  }
  return written;
}

/** Up to the first paragraph after the program has been run. */
const beginning = (page: string): string => /^[\s\S]*?```sh\nnode .*\n```/m.exec(read(page))?.[0] ?? '';
const program = /```ts\n([\s\S]*?)^```/m.exec(beginning('docs/getting-started.md'))?.[1] ?? '';
const section = /^### TypeScript and CommonJS$[\s\S]*?```sh[\s\S]*?```/m;
const typescript = section.exec(read('docs/getting-started.md'))?.[0] ?? '';

/** What the folder of a reader may have; npm 11 writes the second. */
const manifests = [
  { where: 'in an empty folder', manifest: undefined },
  { where: 'after npm init -y', manifest: { name: 'mine', version: '1.0.0', type: 'commonjs' } },
  { where: 'in a project of ES modules', manifest: { name: 'mine', type: 'module' } },
].map(({ where, manifest }) => ({ where, options: manifest === undefined ? {} : { manifest } }));

describe.each(manifests)('the lines of a page lead to a program that runs, $where', ({ where, options }) => {
  it.each(['README.md', 'docs/getting-started.md'])('%s, and to the output that it shows', async (page) => {
    await using project = await createReaderProject({ ...options, typescript: 'typescript' });
    const [, shown = ''] = /```text\n([\s\S]*?)^```/m.exec(read(page).slice(beginning(page).length)) ?? [];
    expect(shown).toContain("text: 'Echo: hi'");
    expect(await follow(project, beginning(page))).toContain(shown);
  });

  // The older compiler takes seconds. It follows the package where files are CommonJS unless their names say otherwise.
  const compilers = where === 'after npm init -y' ? ['typescript', 'typescript-5.9'] : ['typescript'];
  it.each(compilers)('docs/getting-started.md, with %s', async (compiler) => {
    await using project = await createReaderProject({ ...options, typescript: compiler });
    await project.type(/```sh\n([\s\S]*?)^```/m.exec(beginning('docs/getting-started.md'))?.[1] ?? '');
    expect(await follow(project, typescript, program)).toContain("text: 'Echo: hi'");
  });
});

it.each(['typescript', 'typescript-5.9'])(
  'the form for CommonJS compiles and runs, with %s',
  async (compiler) => {
    await using project = await createReaderProject({ typescript: compiler });
    await project.type(/```sh\n([\s\S]*?)^```/m.exec(beginning('docs/getting-started.md'))?.[1] ?? '');
    const [, form = ''] = /`(import host = require\([^)]*\))`/.exec(read('docs/getting-started.md')) ?? [];
    await project.save('index.cts', `${form};\nconsole.log(typeof host.createHost);\n`);
    const [, lines = ''] = /```sh\n([\s\S]*?)^```/m.exec(typescript) ?? [];
    expect(await project.type(lines.replace('index.mjs', 'index.cjs'))).toContain('function');
  },
);

const pages = ['README.md', ...pagesBelow(root, 'docs')].concat(
  publicPackages(root).map(({ folder }) => `packages/${folder}/README.md`),
);

describe('the lines of a page install all that its code imports', () => {
  const importing = pages.flatMap((page) => {
    const needed = codeBlocks(root, page).flatMap(({ code }) => importedPackages(code));
    return needed.length === 0 ? [] : [{ page, needed }];
  });

  it.each(importing)('$page', ({ page, needed }) => {
    expect(namesToInstall(read(page))).toEqual(expect.arrayContaining(needed));
  });
});

describe('a page that installs a package without types installs the types', () => {
  const untyped = pages.flatMap((page) =>
    namesToInstall(read(page))
      .filter((name) => existsSync(join(root, 'node_modules', typesOf(name))))
      .map((name) => ({ page, types: typesOf(name) })),
  );

  it('one of them is there', () => expect(untyped).not.toEqual([]));

  it.each(untyped)('$page: $types', ({ page, types }) => {
    expect(namesToInstall(read(page))).toContain(types);
  });
});

function namesToInstall(text: string): readonly string[] {
  return [...text.matchAll(/^npm install ([^#\n]*)/gm)].flatMap(([, names = '']) =>
    names
      .split(' ')
      .filter((name) => /^@?[a-z]/.test(name))
      .map((name) => name.replace(/(?<=.)@\d+$/, '')),
  );
}

function importedPackages(code: string): readonly string[] {
  return [...code.matchAll(/from '(?!node:)((?:@[^/']+\/)?[^./'][^/']*)(\/[^']*)?'/g)].flatMap(
    ([, name = '', entry]) =>
      name === '@mcp-fittings/host' && entry === '/sdk' ? [name, '@modelcontextprotocol/sdk'] : [name],
  );
}

const typesOf = (name: string): string => `@types/${name.replace(/^@(.*)\//, '$1__')}`;
