import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installedPackages } from '../../../scripts/installed.mjs';
import { stage } from '../../../scripts/stage.mjs';
import { publicPackages } from '../../../scripts/workspace.mjs';

const ROOT = join(import.meta.dirname, '../../..');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stage-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

describe('what is published of a package that reads files beside its modules', () => {
  it('has every module with a source, and the declarations that an entry point leads to', async () => {
    await write({
      'package.json': JSON.stringify({
        name: 'sample',
        exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      }),
      'src/index.ts': '',
      'src/thread/worker.js': '',
      'dist/index.js': "new URL('./thread/worker.js', import.meta.url);\n",
      'dist/index.d.ts':
        "export { type Named } from './named.js';\nexport declare const x: import('./inferred.js').X;\n",
      'dist/named.d.ts': 'export type Named = string;\n',
      'dist/inferred.d.ts': 'export type X = string;\n',
      'dist/thread/worker.d.ts': 'export {};\n',
      'dist/thread/worker.js': '',
      'dist/deleted.js': '',
      'dist/deleted.d.ts': '',
    });
    const target = join(folder, 'publish');
    await stage(folder, target);
    const published = await readdir(join(target, 'dist'), { recursive: true });
    expect(published.toSorted()).toEqual([
      'index.d.ts',
      'index.js',
      'inferred.d.ts',
      'named.d.ts',
      'thread',
      join('thread', 'worker.js'),
    ]);
  });
});

describe('the declarations of every package', () => {
  it('import only what is installed with it', async () => {
    const folder = await installedPackages();
    const missing = publicPackages(ROOT).flatMap(({ manifest }) => {
      const { name, dependencies = {}, peerDependencies = {} } = manifest;
      const installed = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
      const dist = join(folder, 'node_modules', name, 'dist');
      return readdirSync(dist, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.d.ts'))
        .flatMap((file) => importedPackages(readFileSync(join(dist, file), 'utf8')))
        .filter((imported) => !installed.has(imported))
        .map((imported) => `${name}: ${imported}`);
    });
    expect(missing).toEqual([]);
  });
});

/** Packages that declarations import; those in their examples do not count. */
function importedPackages(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/\b(?:from|import)\s*\(?['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('node:'));
}

describe('what is published for browsers', () => {
  const names = publicPackages(ROOT).flatMap(({ manifest }) =>
    './fetch' in manifest.exports ? [manifest.name] : [],
  );

  it.each(names)('%s/fetch loads no module of Node.js', async (name) => {
    const input = join(await installedPackages(), 'node_modules', name, 'dist/fetch.js');
    const unresolved: string[] = [];
    const onLog = (_level: string, { code, message }: { code?: string; message: string }): void => {
      if (code === 'UNRESOLVED_IMPORT') unresolved.push(message);
    };
    await using built = await rolldown({ input, platform: 'browser', onLog });
    const { output } = await built.generate();
    expect(unresolved).toEqual([]);
    const imports = output.flatMap((each) =>
      each.type === 'chunk' ? [...each.imports, ...each.dynamicImports] : [],
    );
    expect(imports).toEqual([]);
  });
});

describe('what is published of a package with several entry points', () => {
  it('contains what is only a development dependency, and imports a peer', async () => {
    await write({
      'package.json': JSON.stringify({
        name: 'sample',
        exports: { '.': { default: './dist/index.js' } },
        peerDependencies: { peer: '1' },
        devDependencies: { inner: '1', peer: '1' },
      }),
      'src/index.ts': '',
      'dist/index.js': "export { inner } from 'inner';\nexport { peer } from 'peer';\n",
      'node_modules/inner/package.json': JSON.stringify({
        name: 'inner',
        version: '1.0.0',
        main: 'index.js',
      }),
      'node_modules/inner/index.js': "exports.inner = 'of the inner package';\n",
      'node_modules/peer/package.json': JSON.stringify({ name: 'peer', version: '1.0.0', main: 'index.js' }),
      'node_modules/peer/index.js': "exports.peer = 'of the peer';\n",
    });
    await stage(folder, join(folder, 'publish'));
    const text = await readFile(join(folder, 'publish/dist/index.js'), 'utf8');
    expect(text).toContain('of the inner package');
    expect(text).toContain('from "peer"');
    expect(text).not.toContain('of the peer');
  });

  it('import: has a file for each and one for what they share', async () => {
    await write({
      'package.json': JSON.stringify({
        name: 'sample',
        exports: { './lock': { default: './dist/lock.js' }, './timing': { default: './dist/timing.js' } },
      }),
      'src/lock.ts': '',
      'src/timing.ts': '',
      'dist/lock.js': "export { wait } from './wait.js';\n",
      'dist/timing.js': "export { hurry, wait } from './wait.js';\n",
      'dist/wait.js': "export const wait = () => 'a while';\nexport const hurry = () => wait();\n",
    });
    const target = join(folder, 'publish');
    await stage(folder, target);
    const files = (await readdir(join(target, 'dist'))).toSorted();
    const shared = files.filter((name) => !['lock.js', 'timing.js'].includes(name));
    expect(shared).toHaveLength(1);
    const [lock, timing] = (await Promise.all(
      ['lock', 'timing'].map((name) => import(join(target, `dist/${name}.js`))),
    )) as { wait: () => string }[];
    expect(Object.keys(lock ?? {})).toEqual(['wait']);
    expect(timing?.wait).toBe(lock?.wait);
    expect(timing?.wait()).toBe('a while');
  });
});

describe('what is published of entry points that `exports` leads to one file', () => {
  it('import: is that file, which others import what they need of it from', async () => {
    await write({
      'package.json': JSON.stringify({
        name: 'sample',
        exports: {
          './text': { default: './dist/common.js' },
          './timing': { default: './dist/common.js' },
          './lock': { default: './dist/lock.js' },
        },
      }),
      'src/common.ts': '',
      'src/text.ts': '',
      'src/text/mark.ts': '',
      'src/timing.ts': '',
      'src/lock.ts': '',
      'dist/common.js': "export * from './text.js';\nexport * from './timing.js';\n",
      'dist/text.js': "export { short } from './text/mark.js';\n",
      'dist/text/mark.js': "export const short = 1;\nexport const internal = () => 'marked';\n",
      'dist/timing.js': 'export const wait = 2;\n',
      'dist/lock.js': "import { internal } from './text/mark.js';\nexport const lock = () => internal();\n",
    });
    const target = join(folder, 'publish');
    await stage(folder, target);
    expect((await readdir(join(target, 'dist'))).toSorted()).toEqual(['common.js', 'lock.js']);
    const common = (await import(join(target, 'dist/common.js'))) as object;
    expect(common).toMatchObject({ short: 1, wait: 2 });
    const { lock } = (await import(join(target, 'dist/lock.js'))) as { lock: () => string };
    expect(lock()).toBe('marked');
  });
});

describe('what a published package imports of another one of ours', () => {
  it('import: is one specifier for all entry points that are one file', async () => {
    const of = (file: string): { default: string } => ({ default: `./dist/${file}.js` });
    await write({
      'node_modules/@mcp-fittings/parts/package.json': JSON.stringify({
        name: '@mcp-fittings/parts',
        exports: {
          './text': of('common'),
          './timing': of('common'),
          './lock': of('lock'),
          './package.json': './package.json',
        },
      }),
      'package.json': JSON.stringify({ name: 'sample', exports: { '.': of('index') } }),
      'src/index.ts': '',
      'dist/index.js':
        "export { wait } from '@mcp-fittings/parts/timing';\nexport { short } from '@mcp-fittings/parts/text';\nexport { lock } from '@mcp-fittings/parts/lock';\n",
    });
    await stage(folder, join(folder, 'publish'));
    const text = await readFile(join(folder, 'publish/dist/index.js'), 'utf8');
    const imported = Array.from(text.matchAll(/ from "([^"]+)"/g), ([, specifier]) => specifier);
    expect(new Set(imported)).toEqual(new Set(['@mcp-fittings/parts/text', '@mcp-fittings/parts/lock']));
  });
});

/** Returns the files that importing a published entry point of the toolbox loads, and their size. */
async function loadedBy(entry: string, published: string): Promise<{ files: string[]; bytes: number }> {
  const manifest = JSON.parse(await readFile(join(published, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>;
  };
  const files = new Map<string, number>();
  const visit = async (file: string): Promise<void> => {
    if (files.has(file)) return;
    const text = await readFile(join(published, 'dist', file), 'utf8');
    files.set(file, text.length);
    for (const [, next] of text.matchAll(/ from "\.\/([^"]+)"/g)) await visit(next!);
  };
  await visit(basename(manifest.exports[`./${entry}`]!.default));
  return { files: [...files.keys()].toSorted(), bytes: [...files.values()].reduce((a, b) => a + b, 0) };
}

describe('what is published of the toolbox', () => {
  const toolbox = fileURLToPath(new URL('../../../packages/toolbox', import.meta.url));

  it('import: a transport loads one or two files of it, of at most 70 kB, or 115 kB for remote ones', async () => {
    const published = join(folder, 'publish');
    await stage(toolbox, published);
    for (const entry of [
      'base-transport',
      'text',
      'messages',
      'timing',
      'errors',
      'logging',
      'framing',
      'entries',
    ]) {
      const { files, bytes } = await loadedBy(entry, published);
      expect(files).toEqual(['common.js']);
      expect(bytes).toBeLessThan(70_000);
    }
    expect((await loadedBy('programs', published)).files).toEqual(['common.js', 'programs.js']);
    for (const entry of ['connect', 'refusal', 'parameter-headers']) {
      const { files, bytes } = await loadedBy(entry, published);
      expect(['common.js', 'remote.js']).toEqual(expect.arrayContaining(files));
      expect(bytes).toBeLessThan(115_000);
    }
  });
});
