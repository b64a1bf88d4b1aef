/** The reference: one page per entry point, from the types as they are published and the comments in them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Application } from 'typedoc';
import { entryPoints, publicPackages } from '../workspace.mjs';
import { withPackageManagers } from './copy-pages.mjs';

export async function writeReference(root, target) {
  const entries = entryPoints(root);
  const compiler = join(target, '../reference.tsconfig.json');
  const compilerOptions = {
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  };
  mkdirSync(target, { recursive: true });
  writeFileSync(compiler, JSON.stringify({ compilerOptions, files: entries.map(({ types }) => types) }));
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: compiler,
    entryPoints: entries.map(({ types }) => types),
    name: 'Reference',
    readme: 'none',
    disableSources: true,
    groupOrder: ['Functions', 'Classes', '*'],
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    logLevel: 'Error',
    validation: false,
    router: 'module',
    entryFileName: 'index.md',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    expandParameters: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    expandObjects: false,
    sanitizeComments: true,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the types.');
  const names = new Map(entries.map(({ types, name }) => [relative(join(root, 'packages'), types), name]));
  for (const module of project.children ?? []) {
    // TypeDoc calls a module by its path below what all have in common: `host/dist/sdk`, `host/dist` for the index.
    const file = module.name.endsWith('/dist') ? `${module.name}/index.d.ts` : `${module.name}.d.ts`;
    module.name = names.get(file.split('/').join(sep)) ?? module.name;
  }
  app.options.setValue('out', target);
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('TypeDoc reported errors.');
  const manifests = new Map(publicPackages(root).map(({ folder, manifest }) => [folder, manifest]));
  for (const { name, folder } of entries)
    finishPage(target, name, beginning(root, folder, manifests.get(folder)));
}

/** What stands above the members of a package: what it is for, how to install it, its first example, and what that imports. */
function beginning(root, folder, manifest) {
  const readme = readFileSync(join(root, 'packages', folder, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```(?:ts|js)[^\n]*\n[\s\S]*?^```$/gm)].map(([block]) => block);
  const example = examples.find((block) => block.includes(`from '${manifest.name}'`)) ?? '';
  const imported = new RegExp(`import \\{ ([^}]*) \\} from '${manifest.name}'`).exec(example)?.[1] ?? '';
  const sentence = `${manifest.description[0].toUpperCase()}${manifest.description.slice(1)}`.replace(
    /\.?$/,
    '.',
  );
  return {
    main: imported.split(', ').map((name) => name.replace(/^type /, '')),
    example,
    text: withPackageManagers(
      `${sentence} [Guide and options](../packages/${folder}.md).\n\n\`\`\`sh\nnpm install ${manifest.name}\n\`\`\``,
    ),
  };
}

/** Puts the functions that people look for before the others, which are in the order of the alphabet. */
function withFirst(text, names) {
  const [, before = '', functions = '', after = ''] =
    /^([\s\S]*?^## Functions\n\n)([\s\S]*?)(?=^## |(?![\s\S]))([\s\S]*)$/m.exec(text) ?? [];
  if (functions === '') return text;
  const parts = functions
    .trimEnd()
    .replace(/\n\*\*\*$/, '')
    .split(/\n\n\*\*\*\n\n/);
  const rank = (part) => {
    const at = names.indexOf(/^### (\w+)/.exec(part)?.[1] ?? '');
    return at === -1 ? names.length : at;
  };
  return `${before}${parts.toSorted((a, b) => rank(a) - rank(b)).join('\n\n***\n\n')}\n\n${after}`;
}

/** The heading of a page is what a program imports: `@mcp-fittings/host/engine`. */
function finishPage(target, name, { text, example, main }) {
  const file = join(target, `${name}.md`);
  const generated = readFileSync(file, 'utf8');
  // The example is one of the package's main entry point.
  const about = name.includes('.') ? text : `${text}\n\n${example}`;
  const count = (page, word) => {
    const headings = readFileSync(join(target, `${page}.md`), 'utf8').matchAll(/^#+ (\w+)/gm);
    return [...headings].filter(([, heading]) => heading.toLowerCase() === word).length;
  };
  writeFileSync(
    file,
    withFirst(generated, main)
      .replace(/^# .*$/m, () => `# @mcp-fittings/${name.replace('.', '/')}\n\n${about}`)
      // The plugin counts members of the same name, which are rows of a table rather than headings.
      .replaceAll(/\((?:([\w.-]+)\.md)?#(\w+)-\d+\)/g, (link, page, word) => {
        if (count(page ?? name, word) > 1) return link;
        return `(${page === undefined ? '' : `${page}.md`}#${word})`;
      }),
  );
}
