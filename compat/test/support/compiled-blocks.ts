import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installedPackages } from '../../../scripts/installed.mjs';
import type { CodeBlock } from './code-blocks.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** Ends where `npx -y @scope/name` does, without the second that npm takes. The rehearsed release runs READMEs with npm's own. */
const NPX = `#!/bin/sh
[ "$1" = -y ] && shift
name="\${1##*/}"
shift
exec "${root}/node_modules/.bin/mcp-$name" "$@"
`;

/** Blocks as a user would have them: compiled against what is published, in a folder that finds it as a project does. */
export interface CompiledBlocks extends AsyncDisposable {
  /** What the compiler said; empty when all is well. */
  readonly complaints: string;
  /** Runs one in the root of the repository; rejects when it fails or does not end within 25 seconds. */
  run(block: CodeBlock): Promise<void>;
}

export async function compileBlocks(blocks: readonly CodeBlock[]): Promise<CompiledBlocks> {
  const folder = await mkdtemp(join(await installedPackages(), 'blocks-'));
  const file = (...parts: string[]): string => join(folder, ...parts);
  await writeFile(file('package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(file('npx'), NPX, { mode: 0o755 });
  for (const block of blocks) {
    await mkdir(dirname(file('src', block.file)), { recursive: true });
    await writeFile(file('src', block.file), block.code);
  }
  const compilerOptions = {
    strict: true,
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    skipLibCheck: true,
    rootDir: file('src'),
    outDir: file('out'),
  };
  await writeFile(file('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', file('tsconfig.json')]).catch(
    (error: { stdout: string }) => error,
  );
  return {
    complaints: stdout,
    async run(block) {
      await run(process.execPath, [file('out', block.file.replace(/\.ts$/, '.js'))], {
        cwd: root,
        env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` },
        timeout: 25_000,
      });
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}
