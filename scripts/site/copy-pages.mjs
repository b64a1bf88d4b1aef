/** Copies the pages of the repository to where VitePress reads them, with links that lead where the site has them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linkTarget, packageGroups, REPOSITORY, siteMap } from './site-map.mjs';

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
    write(join(pages, page), `${frontMatter(file)}${withPackageManagers(text)}`);
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

const INSTALL = /^```sh\n((?:npm install [^\n]*\n)+)```$/gm;
/** How each package manager adds packages. */
const MANAGERS = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add' };

/** Gives a block that installs packages a tab for each package manager. */
export function withPackageManagers(text) {
  return text.replaceAll(INSTALL, (block, lines) => {
    if (/--global| -g /.test(lines)) return block;
    const tabs = Object.entries(MANAGERS).map(([name, add]) => {
      const own = lines.replaceAll(/^npm install/gm, add);
      return `\`\`\`sh [${name}]\n${name === 'npm' ? own : own.replaceAll('--save-dev', '-D')}\`\`\``;
    });
    return `::: code-group\n\n${tabs.join('\n\n')}\n\n:::`;
  });
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
  const groups = packageGroups(root).map(({ text, packages: all }) => {
    const rows = all.map(({ folder, description }) => `| [\`${folder}\`](./${folder}.md) | ${description} |`);
    return `## ${text}\n\n| package | what it is for |\n| --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# Packages\n\n${groups.join('\n')}`;
}

/** The landing page: its text is here; its example, what that prints, and its packages are those of the README. */
function landing(root) {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const block = (language) => {
    const found = new RegExp(`^\`\`\`${language}\\n[\\s\\S]*?^\`\`\`$`, 'm').exec(readme)?.[0];
    if (found === undefined) throw new Error(`README.md has no first block of ${language}.`);
    return found;
  };
  const groups = packageGroups(root).map(({ text, packages: all }) => {
    const links = all.map(
      ({ folder, description }) =>
        `<a href="./packages/${folder}.html" title="${description.replaceAll('"', '&quot;').replaceAll('`', '')}">${folder}</a>`,
    );
    return `<div><h3>${text}</h3>\n<p>\n${links.join('\n')}\n</p></div>`;
  });
  const text = readFileSync(join(root, 'scripts/site/landing.md'), 'utf8');
  return text
    .replace('<!-- install -->', withPackageManagers(block('sh')))
    .replace('<!-- example -->', block('ts'))
    .replace('<!-- output -->', block('text'))
    .replace('<!-- packages -->', groups.join('\n'))
    .replaceAll('REPOSITORY', REPOSITORY);
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
