import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stage } from '../../../scripts/stage.mjs';

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
  it('has every module with a source in TypeScript or JavaScript, and none whose source was deleted', async () => {
    await write({
      'package.json': JSON.stringify({ name: 'sample', exports: { '.': { default: './dist/index.js' } } }),
      'src/index.ts': '',
      'src/thread/worker.js': '',
      'dist/index.js': "new URL('./thread/worker.js', import.meta.url);\n",
      'dist/index.d.ts': 'export {};\n',
      'dist/thread/worker.js': '',
      'dist/deleted.js': '',
      'dist/deleted.d.ts': '',
    });
    const target = join(folder, 'publish');
    await stage(folder, target);
    const published = await readdir(join(target, 'dist'), { recursive: true });
    expect(published.toSorted()).toEqual(['index.d.ts', 'index.js', 'thread', join('thread', 'worker.js')]);
  });
});

describe('what is published of the core', () => {
  const core = (timing: string): Record<string, string> => ({
    'package.json': JSON.stringify({
      name: '@mcp-fittings/client-core',
      exports: {
        './transport': { default: './dist/transport.js' },
        './timing': { default: './dist/timing.js' },
      },
    }),
    'src/transport.ts': '',
    'src/timing.ts': '',
    'dist/transport.js': "export { wait } from './wait.js';\n",
    'dist/timing.js': timing,
    'dist/wait.js': "export const wait = () => 'a while…';\nexport const hurry = () => wait();\n",
  });

  it('import: has one file for a transport, which the other entry points share, in ASCII', async () => {
    await write(core("export { wait } from './wait.js';\n"));
    const target = join(folder, 'publish');
    await stage(folder, target);
    const files = await readdir(join(target, 'dist'));
    expect(files.toSorted()).toEqual(['timing.js', 'transport.js']);
    const text = await readFile(join(target, 'dist/transport.js'), 'utf8');
    expect(text).toContain(String.raw`a while\u2026`);
    const [transport, timing] = (await Promise.all(
      ['transport', 'timing'].map((name) => import(join(target, `dist/${name}.js`))),
    )) as { wait: () => string }[];
    expect(Object.keys(transport ?? {})).toEqual(['wait']);
    expect(timing?.wait).toBe(transport?.wait);
    expect(timing?.wait()).toBe('a while…');
  });

  it('is refused if that file would export more than its types say', async () => {
    await write(core("export { hurry } from './wait.js';\n"));
    const staged = stage(folder, join(folder, 'publish'));
    await expect(staged).rejects.toThrow('Other entry points need more than transport.js exports: hurry');
  });
});
