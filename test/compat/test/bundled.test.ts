import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundled } from '../../../scripts/bundled.mjs';

const run = promisify(execFile);

let folder: string;
let script: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'bundled-')));
  script = join(folder, 'server.mjs');
  await writeFile(
    script,
    `import { pathToFileURL } from 'node:url';
     import { place, word } from './neighbor.mjs';
     if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(word, place, process.argv[2]);`,
  );
  await says('old');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const says = (word: string): Promise<void> =>
  writeFile(
    join(folder, 'neighbor.mjs'),
    `export const word = '${word}'; export const place = import.meta.url;`,
  );
const output = async (program: string): Promise<string> =>
  (await run(process.execPath, [program, 'argument'])).stdout.trim();

describe('a bundled server', () => {
  it('does what the script does: its modules know where they are, and it knows that it was started', async () => {
    const program = await bundled(script);
    expect(program).not.toBe(script);
    expect(await output(program)).toBe(await output(script));
  });

  it('is made again only if one of its modules changed', async () => {
    const first = await bundled(script);
    expect(await bundled(script)).toBe(first);
    await says('new');
    expect(await output(await bundled(script))).toMatch(/^new /);
  });

  it('is made again if it was removed', async () => {
    const first = await bundled(script);
    await rm(join(first, '..'), { recursive: true });
    expect(await output(await bundled(script))).toMatch(/^old /);
  });
});
