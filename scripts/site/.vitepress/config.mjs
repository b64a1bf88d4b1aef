import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { entryPoints } from '../../workspace.mjs';
import { guideSidebar, packageGroups, REPOSITORY } from '../site-map.mjs';

const root = join(import.meta.dirname, '../../..');

/** A page is text and not a template of Vue: `{{` stands for itself. */
function withoutTemplates(md) {
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
}

/** Mermaid blocks are drawn in the browser by theme/mermaid.mjs; everything else is as VitePress does it. */
function withMermaid(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
    return `<pre class="mermaid" v-pre>${md.utils.escapeHtml(content)}</pre>`;
  };
}

/** Marks the cells of a table that need room for several words. */
function withSentences(md) {
  md.renderer.rules.td_open = (tokens, index, options, _env, renderer) => {
    if ((tokens[index + 1]?.content.length ?? 0) > 24) tokens[index].attrJoin('class', 'sentence');
    return renderer.renderToken(tokens, index, options);
  };
}

function githubSlug(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

export default defineConfig({
  title: 'mcp-fittings',
  description:
    'npm packages with which an MCP host connects to MCP servers: transports, sign-in, configuration, tools.',
  lang: 'en-US',
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  lastUpdated: false,
  // Links to headings are written as GitHub names them.
  markdown: {
    anchor: { slugify: githubSlug },
    // Braces in a text are not attributes of an element.
    attrs: { disable: true },
    config(md) {
      withoutTemplates(md);
      withMermaid(md);
      withSentences(md);
    },
  },
  /** The reference and the lists are made by the build: there is nothing to edit. */
  transformPageData(page) {
    page.frontmatter.editLink ??= page.frontmatter.source !== undefined;
  },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: true } },
    outline: { level: [2, 3] },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: {
      // VitePress carries this function to the browser as text: nothing from outside of it is there.
      pattern: ({ frontmatter }) =>
        `https://github.com/mcp-fittings/mcp-fittings/edit/main/${frontmatter.source ?? ''}`,
      text: 'Edit this page',
    },
    nav: [
      { text: 'Guide', link: '/guide/index' },
      { text: 'Packages', link: '/packages/index' },
      { text: 'Reference', link: '/reference/index' },
      { text: 'Errors', link: '/guide/errors' },
    ],
    sidebar: {
      '/guide/': guideSidebar(root),
      '/packages/': packageGroups(root).map(({ text, packages }) => ({
        text,
        collapsed: true,
        items: packages.map(({ folder }) => ({ text: folder, link: `/packages/${folder}` })),
      })),
      '/reference/': packageGroups(root).map(({ text, packages }) => ({
        text,
        collapsed: true,
        items: packages.flatMap(({ folder }) =>
          entryPoints(root)
            .filter((entry) => entry.folder === folder)
            .map(({ name }) => ({ text: name.replace('.', '/'), link: `/reference/${name}` })),
        ),
      })),
    },
    footer: { message: 'MIT license.' },
  },
});
