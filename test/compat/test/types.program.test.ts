import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const here = import.meta.dirname;
const root = join(here, '../../..');
const compilers = [
  ['TypeScript 7', join(root, 'node_modules/typescript/bin/tsc')],
  ['TypeScript 5.9', join(root, 'node_modules/typescript-5.9/bin/tsc')],
] as const;

let folder: string;
beforeAll(async () => {
  // Inside the checkout, so that the packages resolve as they do for a user.
  folder = await mkdtemp(join(here, '.types-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(compilers)('%s', (_name, tsc) => {
  it.each([true, false])(
    'C.1 accepts every transport in both SDKs, exactOptionalPropertyTypes %s',
    async (exact) => {
      const project = join(folder, `tsconfig.${_name.replace(/\W/g, '')}.${exact}.json`);
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: exact,
        noEmit: true,
        module: 'NodeNext',
        target: 'ES2022',
        lib: ['ES2023', 'ESNext.Disposable'],
        types: ['node'],
        skipLibCheck: true,
      };
      await writeFile(
        project,
        JSON.stringify({ compilerOptions, files: [join(here, 'types/transports.mts')] }),
      );
      const output = await run(process.execPath, [tsc, '-p', project]).catch(
        (error: { stdout: string }) => error,
      );
      expect(output.stdout).toBe('');
    },
    120_000,
  );
});
