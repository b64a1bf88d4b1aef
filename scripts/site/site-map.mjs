/** Which file of the repository is which page of the site, and in what order the pages are offered. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { publicPackages } from '../workspace.mjs';

export const REPOSITORY = 'https://github.com/mcp-fittings/mcp-fittings';

const ABOUT = ['CONTRIBUTING.md', 'RELEASING.md', 'SECURITY.md', 'VERSIONING.md'];

/** @returns a map from the path of a file in the repository to the path of its page. */
export function siteMap(root) {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const decisions = readdirSync(join(root, 'docs/decisions')).filter((name) => name.endsWith('.md'));
  return new Map([
    ['README.md', 'index.md'],
    ['docs/README.md', 'guide/index.md'],
    ...docs.map((name) => [`docs/${name}`, `guide/${name}`]),
    ...decisions.map((name) => [`docs/decisions/${name}`, `decisions/${name}`]),
    ...publicPackages(root).map(({ folder }) => [`packages/${folder}/README.md`, `packages/${folder}.md`]),
    ...ABOUT.map((name) => [name, `about/${name.toLowerCase()}`]),
    ['bench/RESULTS.md', 'guide/benchmarks.md'],
  ]);
}

/**
 * Where a link of a page leads on the site: to the page of that file or folder, or else to the file in the repository.
 * @param file the path in the repository of the file that has the link.
 */
export function linkTarget(root, map, file, link) {
  if (/^(?:[a-z]+:|#|\/)/i.test(link)) return link;
  const [path, anchor = ''] = link.split(/(?=#)/, 2);
  const target = normalize(join(dirname(file), path))
    .split(sep)
    .join('/')
    .replace(/\/$/, '');
  if (target.startsWith('docs/assets/')) return `/${target.slice('docs/'.length)}${anchor}`;
  const page = map.get(target) ?? map.get(`${target}/README.md`);
  // The landing page has none of the headings of the README.
  if (page === 'index.md' && anchor !== '') return `${REPOSITORY}/blob/main/README.md${anchor}`;
  if (page !== undefined) return `${relativePage(map.get(file), page)}${anchor}`;
  if (target === 'docs/decisions') return relativePage(map.get(file), 'decisions/index.md');
  const kind = /\.[a-z]+$/i.test(target) || target === 'LICENSE' ? 'blob' : 'tree';
  if (!existsSync(join(root, target))) throw new Error(`${file} links to ${link}, which does not exist.`);
  return `${REPOSITORY}/${kind}/main/${target}${anchor}`;
}

function relativePage(from, to) {
  const path = relative(dirname(from), to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}

/** The groups of packages in the README, in its order: a heading, and packages with what the README says of each. */
export function packageGroups(root) {
  const [, section = ''] =
    /^## Packages\n([\s\S]*?)^## /m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  return [...section.matchAll(/^### (.+)\n([\s\S]*?)(?=^### |^Each |(?![\s\S]))/gm)].map(
    ([, text, rows]) => ({
      text,
      packages: [...rows.matchAll(/^\| \[`([\w-]+)`\]\([^)]*\) *\| (.*?) *\|$/gm)].map(
        ([, folder, description]) => ({ folder, description }),
      ),
    }),
  );
}

/** The groups of docs/README.md, as a sidebar: each heading, and the pages that its list names first. */
export function guideSidebar(root) {
  const map = siteMap(root);
  const groups = [];
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const heading = /^## (.*)/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    const [, text, link] = /^- \[(.+?)\]\(([^)]+)\)/.exec(line) ?? [];
    if (text === undefined) continue;
    const page = map.get(
      normalize(join('docs', link.split('#')[0]))
        .split(sep)
        .join('/'),
    );
    if (page !== undefined) groups.at(-1)?.items.push({ text: text.replaceAll('`', ''), link: `/${page}` });
  }
  return groups;
}
