import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publicPackages } from '../../scripts/workspace.mjs';
import { pagesBelow } from './support/code-blocks.js';
import { createReaderProject, type ReaderProject } from './support/reader-project.js';

const root = join(import.meta.dirname, '../..');
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
].map(({ where, manifest }) => ({ where, ...(manifest && { manifest }) }));

describe.each(manifests)(
  'the lines of a page lead to a program that runs, $where',
  ({ where: _, ...rest }) => {
    it.each(['README.md', 'docs/getting-started.md'])('%s', async (page) => {
      await using project = await createReaderProject({ ...rest, typescript: 'typescript' });
      expect(await follow(project, beginning(page))).toContain("text: 'Echo: hi'");
    });

    it.each(['typescript', 'typescript-5.9'])('docs/getting-started.md, with %s', async (compiler) => {
      await using project = await createReaderProject({ ...rest, typescript: compiler });
      await project.type(/```sh\n([\s\S]*?)^```/m.exec(beginning('docs/getting-started.md'))?.[1] ?? '');
      expect(await follow(project, typescript, program)).toContain("text: 'Echo: hi'");
    });
  },
);

describe('a page that installs a package without types', () => {
  const pages = ['README.md', ...pagesBelow(root, 'docs')].concat(
    publicPackages(root).map(({ folder }) => `packages/${folder}/README.md`),
  );
  const untyped = pages.flatMap((page) =>
    namesToInstall(read(page))
      .filter((name) => existsSync(join(root, 'node_modules', typesOf(name))))
      .map((name) => ({ page, types: typesOf(name) })),
  );

  it('is there', () => expect(untyped).not.toEqual([]));

  it.each(untyped)('$page installs $types', ({ page, types }) => {
    expect(namesToInstall(read(page))).toContain(types);
  });
});

function namesToInstall(text: string): readonly string[] {
  return [...text.matchAll(/^npm install (.*)$/gm)].flatMap(([, names = '']) =>
    names
      .replace(/#.*/, '')
      .split(' ')
      .filter((name) => /^@?[a-z]/.test(name)),
  );
}

const typesOf = (name: string): string => `@types/${name.replace(/^@(.*)\//, '$1__')}`;
