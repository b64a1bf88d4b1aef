import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of TypeScript or JavaScript in a page. */
export interface CodeBlock {
  /** The page, relative to the root of the repository, and the line where the block begins. */
  readonly place: string;
  /** Name of its file below a folder of the page: other blocks of the page can import it. */
  readonly file: string;
  readonly language: string;
  readonly code: string;
  /** It is run by the blocks that import it (a fence that says `imported`), not by itself. */
  readonly imported: boolean;
}

const FENCE = /^```(ts|js|typescript|javascript)\b([^\n]*)\n([\s\S]*?)^```/gm;

/** All blocks of a page. ` ```ts file=name.ts ` is known to its neighbors as `./name.js`; ` ```ts imported file=name.ts ` only is. */
export function codeBlocks(root: string, page: string): readonly CodeBlock[] {
  const text = readFileSync(join(root, page), 'utf8');
  const folder = page.replaceAll(/[^\w-]+/g, '_');
  return [...text.matchAll(FENCE)].map(({ index, 1: language = '', 2: words = '', 3: code = '' }) => {
    const line = text.slice(0, index).split('\n').length;
    const name = /\bfile=([\w-]+)\.ts\b/.exec(words)?.[1] ?? `line-${String(line)}`;
    return {
      place: `${page}:${String(line)}`,
      file: `${folder}/${name}.ts`,
      language,
      code,
      imported: /\bimported\b/.test(words),
    };
  });
}

/** Blocks that are imported only, and that no block of their page imports that runs. */
export function unusedHelpers(blocks: readonly CodeBlock[]): readonly CodeBlock[] {
  return blocks.filter(({ file, imported }) => {
    const [folder = '', name = ''] = file.replace(/\.ts$/, '.js').split('/');
    const imports = (other: CodeBlock): boolean =>
      !other.imported && other.file.startsWith(`${folder}/`) && other.code.includes(`from './${name}'`);
    return imported && !blocks.some(imports);
  });
}

/** The pages below a folder, relative to the root. */
export function pagesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}
