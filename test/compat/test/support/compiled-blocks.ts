import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installedPackages } from '../../../../scripts/installed.mjs';
import type { CodeBlock } from './code-blocks.js';
import { isJavaScript } from './is-javascript.js';
import { startServer } from './npx.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
/** The newest TypeScript, and the last one that was not written in Go. */
const compilers = ['typescript', 'typescript-5.9'].map((name) => join(root, 'node_modules', name, 'bin/tsc'));
/** Node runs `.ts` files by itself. @see https://nodejs.org/api/typescript.html#type-stripping */
const STRIPS_TYPES = typeof Reflect.get(process.features, 'typescript') === 'string';

/**
 * Ends where `npx -y @scope/name` does, without the second that npm takes. The rehearsed release runs READMEs with npm's own.
 * With `received`, what the servers read is kept in that file.
 */
const npx = async (received?: string): Promise<string> => `#!/bin/sh
[ "$1" = -y ] || set -- -y "$@"
${await startServer(received === undefined ? '' : `tee -a "${received}" | `)}`;

/** A way in which a reader runs a block. */
export type RunAs = 'pasted into .mjs' | 'compiled by tsc' | 'by type stripping';

/** What a block wrote, and the messages that the servers it started with `npx` were sent. */
export interface ObservedRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly received: readonly unknown[];
}

/** Blocks as a reader has them: in a project that installed the packages, compiled with what `tsc --init` writes. */
export interface CompiledBlocks extends AsyncDisposable {
  /** What the compilers said; empty when all is well. */
  readonly complaints: string;
  /** Runs one in the root of the repository; rejects when it fails or does not end. */
  run(block: CodeBlock, how: RunAs): Promise<void>;
  /** The same in another environment, and says what came of it. */
  observe(block: CodeBlock, how: RunAs, env: NodeJS.ProcessEnv): Promise<ObservedRun>;
}

/** The ways in which this Node runs the block as it stands: without types it is JavaScript, too. */
export function waysToRun({ code }: CodeBlock): readonly RunAs[] {
  // A block that imports its neighbor names the file that the compiler makes of it.
  if (/from '\.\//.test(code)) return ['compiled by tsc'];
  return [
    isJavaScript(code) ? 'pasted into .mjs' : 'compiled by tsc',
    ...(STRIPS_TYPES ? (['by type stripping'] as const) : []),
  ];
}

export async function compileBlocks(blocks: readonly CodeBlock[]): Promise<CompiledBlocks> {
  // Outside of every `node_modules`, where Node strips no types.
  const folder = await mkdtemp(join(tmpdir(), 'fittings-blocks-'));
  await linkPackages(join(folder, 'node_modules'));
  const file = (...parts: string[]): string => join(folder, ...parts);
  await writeFile(file('package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(file('npx'), await npx(), { mode: 0o755 });
  for (const block of blocks) {
    await mkdir(dirname(file('src', block.file)), { recursive: true });
    await writeFile(file('src', block.file), block.code);
    if (isJavaScript(block.code))
      await writeFile(file('src', block.file.replace(/\.ts$/, '.mjs')), block.code);
  }
  const complaints = await Promise.all(
    compilers.map(async (tsc, index) => {
      const config = `compiler-${String(index)}`;
      await mkdir(file(config));
      // What the getting-started page tells a reader to type.
      await run(process.execPath, [tsc, '--init', '--types', 'node'], { cwd: file(config) });
      await rename(file(config, 'tsconfig.json'), file(`${config}.json`));
      const args = ['-p', `${config}.json`, '--rootDir', 'src', '--outDir', index === 0 ? 'out' : 'out-old'];
      const { stdout } = await run(process.execPath, [tsc, ...args], { cwd: folder }).catch(
        (error: { stdout: string }) => error,
      );
      return stdout;
    }),
  );
  const place = (block: CodeBlock, how: RunAs): string => {
    switch (how) {
      case 'pasted into .mjs':
        return file('src', block.file.replace(/\.ts$/, '.mjs'));
      case 'compiled by tsc':
        return file('out', block.file.replace(/\.ts$/, '.js'));
      case 'by type stripping':
        return file('src', block.file);
    }
  };
  const execute = (block: CodeBlock, how: RunAs, bin: string, env: NodeJS.ProcessEnv) => {
    const program = run(process.execPath, [place(block, how)], {
      cwd: root,
      env: { ...env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
      timeout: 300_000,
    });
    // Standard input is closed, so that a program that reads it ends.
    program.child.stdin?.end();
    return program;
  };
  return {
    complaints: complaints.join(''),
    async run(block, how) {
      await execute(block, how, folder, process.env);
    },
    async observe(block, how, env) {
      const bin = await mkdtemp(file('observed-'));
      const received = join(bin, 'received');
      await writeFile(join(bin, 'npx'), await npx(received), { mode: 0o755 });
      const written = await execute(block, how, bin, env);
      const lines = (await readFile(received, 'utf8')).trim().split('\n');
      return { ...written, received: lines.map((line): unknown => JSON.parse(line)) };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ours as they are published, those of others as they are installed here, and the types of Node that a reader gets today. */
async function linkPackages(place: string): Promise<void> {
  const theirs = join(root, 'node_modules');
  const names = async (folder: string, ...without: readonly string[]): Promise<readonly string[]> =>
    (await readdir(join(theirs, folder)))
      .filter((name) => !name.startsWith('.') && !without.includes(name))
      .map((name) => join(folder, name));
  await mkdir(join(place, '@types'), { recursive: true });
  const all = [...(await names('', '@mcp-fittings', '@types')), ...(await names('@types', 'node'))];
  await Promise.all(all.map((name) => symlink(join(theirs, name), join(place, name))));
  await symlink(join(theirs, 'types-node-latest'), join(place, '@types/node'));
  await symlink(join(await installedPackages(), 'node_modules/@mcp-fittings'), join(place, '@mcp-fittings'));
}
