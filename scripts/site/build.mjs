/**
 * `npm run docs`: one static site in scripts/site/dist, of the pages of the repository and a reference made from the exported types.
 *   -- --serve  watches nothing; serves what was built, on a free port
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, serve } from 'vitepress';
import { copyPages } from './copy-pages.mjs';
import { writeReference } from './reference.mjs';

const here = import.meta.dirname;
const root = join(here, '../..');
const pages = join(here, '.pages');

if (process.argv.includes('--serve')) {
  await serve({ root: here });
} else {
  rmSync(pages, { recursive: true, force: true });
  mkdirSync(pages, { recursive: true });
  await writeReference(root, join(pages, 'reference'));
  copyPages(root, pages);
  cpSync(join(root, 'docs/assets'), join(pages, 'assets'), { recursive: true });
  cpSync(join(here, 'icon.svg'), join(pages, 'public/icon.svg'));
  await build(here);
}
