/** Copies the pages of the repository to where VitePress reads them, with links that lead where the site has them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publicPackages } from '../workspace.mjs';
import { linkTarget, REPOSITORY, siteMap } from './site-map.mjs';

const PICTURE = /(!\[[^\]]*\])\(([^)\s]+)\)/g;
const LINK =
  /((?<!!)\[(?:[^\]\\[]|\\.|!\[[^\]]*\]\([^)]*\)|\[[^\]]*\])*\])\(([^)\s]+)((?: (?:'[^']*'|"[^"]*"))?)\)/g;

export function copyPages(root, pages) {
  const map = siteMap(root);
  for (const [file, page] of map) {
    if (file === 'README.md') continue;
    const text = withSiteLinks(readFileSync(join(root, file), 'utf8'), (link) =>
      linkTarget(root, map, file, link),
    );
    write(join(pages, page), `${frontMatter(file)}${text}`);
  }
  write(join(pages, 'decisions/index.md'), decisions(root, map));
  write(join(pages, 'packages/index.md'), packages(root));
  write(join(pages, 'index.md'), landing(root));
}

/** Rewrites the links outside of code. */
function withSiteLinks(text, target) {
  // A picture inside of a link is rewritten first, then the link around it.
  const rewrite = (part) =>
    part
      .replaceAll(PICTURE, (whole, label, link) => `${label}(${target(link)})`)
      .replaceAll(LINK, (whole, label, link, title) => `${label}(${target(link)}${title})`);
  return text
    .split(/(^ *```[^\n]*\n[\s\S]*?^ *```\s*$)/m)
    .map((part) => (/^ *```/.test(part) ? part : rewrite(part)))
    .join('');
}

/** Nothing of a page is a template of Vue, and its source is the file in the repository. */
function frontMatter(file) {
  return `---\nsource: ${file}\n---\n\n`;
}

function decisions(root, map) {
  const rows = [...map].filter(([file]) => file.startsWith('docs/decisions/'));
  const list = rows.map(([file, page]) => {
    const title = /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? page;
    return `- [${title}](./${page.slice('decisions/'.length)})`;
  });
  return `# Decisions\n\nWhat was decided, and why.\n\n${list.join('\n')}\n`;
}

function packages(root) {
  const rows = publicPackages(root).map(
    ({ folder, manifest }) => `| [\`${folder}\`](./${folder}.md) | ${manifest.description} |`,
  );
  return `# Packages\n\n| package | what it is for |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** The landing page: its text is here, its example and its packages are those of the README. */
function landing(root) {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[0];
  const install = /```sh\n([\s\S]*?)```/.exec(readme)?.[0];
  if (example === undefined || install === undefined) throw new Error('README.md has no first example.');
  const links = publicPackages(root).map(
    ({ folder, manifest }) =>
      `<a href="./packages/${folder}.html" title="${manifest.description.replaceAll('"', '&quot;')}">${folder}</a>`,
  );
  const text = readFileSync(join(root, 'scripts/site/landing.md'), 'utf8');
  return text
    .replace('<!-- install -->', install)
    .replace('<!-- example -->', example)
    .replace('<!-- packages -->', links.join('\n'))
    .replaceAll('REPOSITORY', REPOSITORY);
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
