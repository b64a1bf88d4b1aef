import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const modules = join(import.meta.dirname, '../../../../node_modules');

/** The newest TypeScript, and the last one that was not written in Go. */
export const COMPILERS = ['typescript', 'typescript-5.9'] as const;

const OPTIONS = [
  '--strict',
  '--noUncheckedIndexedAccess',
  '--exactOptionalPropertyTypes',
  '--noUnusedLocals',
  '--noImplicitOverride',
  '--isolatedModules',
  '--erasableSyntaxOnly',
  '--verbatimModuleSyntax',
  '--noEmit',
  // Of the declarations of others. What is compiled here is in `.ts` files.
  '--skipLibCheck',
  '--pretty',
  'false',
  '--target',
  'es2022',
  '--module',
  'nodenext',
  '--types',
  'node',
];

/** Returns what both compilers say about the files under strict options; empty if all is well. */
export async function complaintsAbout(
  files: Readonly<Record<string, string>>,
  compilers: readonly (typeof COMPILERS)[number][] = COMPILERS,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fittings-types-'));
  try {
    await symlink(modules, join(folder, 'node_modules'));
    for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const said = await Promise.all(
      compilers.map(async (compiler) => {
        const tsc = join(modules, compiler, 'bin/tsc');
        const args = [tsc, ...OPTIONS, ...Object.keys(files)];
        return run(process.execPath, args, { cwd: folder, maxBuffer: 50_000_000 }).then(
          () => '',
          ({ stdout, stderr }: { stdout: string; stderr: string }) => `${compiler}: ${stdout}${stderr}`,
        );
      }),
    );
    return said.join('');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
