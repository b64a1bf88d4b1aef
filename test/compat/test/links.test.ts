import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { pagesBelow } from './support/code-blocks.js';

const root = join(import.meta.dirname, '../../..');
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

const pages = [
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

it.each(pages)('every link leads somewhere: %s', (source) => {
  const text = readFileSync(join(root, source), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
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
