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

describe('what is published of a package with several entry points', () => {
  it('import: has a file for each and one for what they share, in ASCII', async () => {
    await write({
      'package.json': JSON.stringify({
        name: 'sample',
        exports: { './lock': { default: './dist/lock.js' }, './timing': { default: './dist/timing.js' } },
      }),
      'src/lock.ts': '',
      'src/timing.ts': '',
      'dist/lock.js': "export { wait } from './wait.js';\n",
      'dist/timing.js': "export { hurry, wait } from './wait.js';\n",
      'dist/wait.js': "export const wait = () => 'a while…';\nexport const hurry = () => wait();\n",
    });
    const target = join(folder, 'publish');
    await stage(folder, target);
    const files = (await readdir(join(target, 'dist'))).toSorted();
    const shared = files.filter((name) => !['lock.js', 'timing.js'].includes(name));
    expect(shared).toHaveLength(1);
    const text = await readFile(join(target, 'dist', shared[0]!), 'utf8');
    expect(text).toContain(String.raw`a while\u2026`);
    const [lock, timing] = (await Promise.all(
      ['lock', 'timing'].map((name) => import(join(target, `dist/${name}.js`))),
    )) as { wait: () => string }[];
    expect(Object.keys(lock ?? {})).toEqual(['wait']);
    expect(timing?.wait).toBe(lock?.wait);
    expect(timing?.wait()).toBe('a while…');
  });
});
