import { execFile } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '@mcp-fittings/toolbox/files';
import { folderOfTest } from './support/temp-directory.js';

/** Renames the file `free` to a name of its own in each round, and says in which rounds it did. */
const RACER = `
  const fs = require('node:fs'), path = require('node:path');
  const [folder, name, rounds] = process.argv.slice(1);
  const won = [];
  for (let round = 0; round < Number(rounds); round++) {
    const from = path.join(folder, String(round));
    while (!fs.existsSync(path.join(folder, 'go'))) {}
    try { fs.renameSync(from, from + '.' + name); won.push(round); } catch {}
  }
  console.log(JSON.stringify(won));`;

/** What our locks and writes expect of a file system. */
describe('the file system', () => {
  it('lets one of several processes rename a file', async () => {
    const place = await folderOfTest();
    const rounds = 200;
    for (let round = 0; round < rounds; round++) await writeFile(join(place, String(round)), '');
    const racers = ['a', 'b', 'c'].map((name) =>
      promisify(execFile)(process.execPath, ['-e', RACER, place, name, String(rounds)]),
    );
    await writeFile(join(place, 'go'), '');
    const wins = (await Promise.all(racers)).flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(wins.toSorted((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round));
    expect((await readdir(place)).filter((name) => name.includes('.'))).toHaveLength(rounds);
  });

  // Wine keeps the name until the file is closed.
  it.runIf(process.env['UNDER_WINE'] === undefined)(
    'frees the name of a file that is deleted or renamed while it is open',
    async () => {
      const place = await folderOfTest();
      const path = join(place, 'file');
      for (const clear of [unlink, (old: string) => rename(old, `${old}.old`)]) {
        await writeFile(path, 'old');
        const open = openSync(path, 'r');
        try {
          await clear(path);
          await replaceFile(path, 'new');
          expect(await readFile(path, 'utf8')).toBe('new');
        } finally {
          closeSync(open);
        }
        await unlink(path);
      }
    },
  );
});
