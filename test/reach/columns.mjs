/** The packagings: each builds the program from installed packages, and says how to run what it has built. */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
const ROOT = join(here, '../..');
const run = promisify(execFile);
const bin = (name) => join(here, 'node_modules/.bin', name);

/** Resolves with the `require` of the frameworks. They are 400 MB, so that they are installed for the first column that needs them. */
async function frameworks() {
  const folder = join(here, 'frameworks');
  if (!existsSync(join(folder, 'node_modules')))
    await run('npm', ['ci', '--no-progress', '--ignore-scripts', '--prefix', folder]);
  return createRequire(join(folder, 'package.json'));
}

const NODE_NEWEST = join(here, 'node_modules/node-26/bin/node');

/** Options of a bundle for Node.js, with the defaults of the bundler. */
const FOR_NODE = { bundle: true, platform: 'node', logLevel: 'error' };

/**
 * `program`: the source, beside the installed packages. `out`: an empty folder from where no package is found, except for what has to be
 * installed beside a program (docs/bundling.md).
 */
export const COLUMNS = {
  'node-20': ({ program }) => ({ command: process.execPath, args: [program] }),
  'node-26': ({ program }) => ({ command: NODE_NEWEST, args: [program] }),
  bun: ({ program }) => ({ command: bin('bun'), args: ['run', program] }),
  deno: ({ program }) => ({ command: bin('deno'), args: ['run', '--allow-all', '--quiet', program] }),
  'esbuild-esm': async ({ program, out }) => {
    const outfile = join(out, 'main.mjs');
    await esbuild({ ...FOR_NODE, entryPoints: [program], outfile, format: 'esm' });
    return packaged(process.execPath, [outfile], outfile);
  },
  'esbuild-cjs': async ({ program, out }) => {
    const outfile = join(out, 'main.cjs');
    await esbuild({ ...FOR_NODE, entryPoints: [program], outfile, format: 'cjs' });
    return packaged(process.execPath, [outfile], outfile);
  },
  'esbuild-split': async ({ program, out }) => {
    const options = { format: 'esm', splitting: true, outdir: out, outExtension: { '.js': '.mjs' } };
    await esbuild({ ...FOR_NODE, ...options, entryPoints: { main: program } });
    return packaged(process.execPath, [join(out, 'main.mjs')]);
  },
  rolldown: async ({ program, out }) => {
    const built = await rolldown({ input: { main: program }, platform: 'node', logLevel: 'silent' });
    await built.write({
      dir: out,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
    });
    await built.close();
    return packaged(process.execPath, [join(out, 'main.mjs')]);
  },
  webpack: async ({ program, out }) => {
    const output = { path: out, filename: 'main.cjs' };
    const webpack = (await frameworks())('webpack');
    const compiler = webpack({ target: 'node20', mode: 'production', entry: program, output });
    const stats = await promisify(compiler.run.bind(compiler))();
    if (stats.hasErrors()) throw new Error(stats.toString('errors-only'));
    return packaged(process.execPath, [join(out, 'main.cjs')]);
  },
  'vite-ssr': async ({ program, out }) => {
    const { build } = await import(pathToFileURL((await frameworks()).resolve('vite')).href);
    const options = { ssr: program, outDir: out, emptyOutDir: false };
    await build({ configFile: false, logLevel: 'error', build: options, ssr: { noExternal: true } });
    return packaged(process.execPath, [join(out, 'program.js')]);
  },
  next: async ({ program, out }) => {
    const next = (await frameworks()).resolve('next/dist/bin/next');
    const app = dirname(program);
    cpSync(join(here, 'frameworks/next-app'), app, { recursive: true });
    mkdirSync(join(app, 'node_modules'));
    for (const name of ['next', 'react', 'react-dom'])
      symlinkSync(join(here, 'frameworks/node_modules', name), join(app, 'node_modules', name));
    const env = { ...process.env, REACH_ROOT: ROOT, NEXT_TELEMETRY_DISABLED: '1' };
    await run(process.execPath, [next, 'build', app], { env });
    cpSync(join(app, '.next/standalone'), out, { recursive: true, verbatimSymlinks: true });
    // Its script starts the server only, so that it cannot be the shared process.
    const shared = '@mcp-fittings/transport-shared';
    symlinkSync(join(dirname(app), 'node_modules', shared), join(out, 'node_modules', shared));
    const server = join(out, relative(ROOT, app), 'server.js');
    return { command: process.execPath, args: [join(here, 'frameworks/run-next.mjs'), server] };
  },
  /** Its main process, as far as a program notices: its versions, and an executable that is a Node.js only if a variable says so. */
  electron: ({ program, out }) => {
    const electron = join(out, 'electron');
    const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
    writeFileSync(
      electron,
      `#!/bin/sh
[ -n "$ELECTRON_RUN_AS_NODE" ] && exec ${quoted(process.execPath)} "$@"
echo 'fails electron: the program was started again'
`,
    );
    chmodSync(electron, 0o755);
    const conditions = join(out, 'conditions.cjs');
    writeFileSync(
      conditions,
      `Object.defineProperty(process.versions, 'electron', { value: '45.5.0' });
Object.defineProperty(process, 'type', { value: 'browser' });
process.execPath = ${JSON.stringify(electron)};`,
    );
    return { command: process.execPath, args: ['--require', conditions, program] };
  },
  'single-executable': async ({ program, out }) => {
    const main = join(out, 'main.cjs');
    await esbuild({ ...FOR_NODE, entryPoints: [program], outfile: main, format: 'cjs' });
    const blob = join(out, 'main.blob');
    const config = join(out, 'sea.json');
    writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }));
    await run(NODE_NEWEST, ['--experimental-sea-config', config]);
    const command = join(out, 'program');
    copyFileSync(NODE_NEWEST, command);
    chmodSync(command, 0o755);
    const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
    await run(process.execPath, [bin('postject'), command, 'NODE_SEA_BLOB', blob, ...fuse]);
    return { ...packaged(command, [], command), isolation: 'in-process' };
  },
  'bun-compile': async ({ program, out }) => {
    const command = join(out, 'program');
    await run(bin('bun'), ['build', '--compile', program, '--outfile', command]);
    return packaged(command, [], command);
  },
  workerd: (options) => onTheWeb('workerd', options),
  chromium: (options) => onTheWeb('chromium', options),
};

/** The other steps need processes, files or sockets, or packages that do. */
const WEB_STEPS = 4;

/** Fails where a module of Node.js is imported. */
async function onTheWeb(platform, { program, out }) {
  const outfile = join(out, 'main.mjs');
  const entryPoints = [join(dirname(program), 'web-program.mjs')];
  await esbuild({
    bundle: true,
    platform: 'browser',
    format: 'esm',
    logLevel: 'error',
    entryPoints,
    outfile,
  });
  const args = ['--experimental-strip-types', join(here, 'run-web.mjs'), platform, outfile];
  return { command: NODE_NEWEST, args, file: outfile, steps: WEB_STEPS };
}

function packaged(command, args, file) {
  return { command, args, file, packaged: true };
}

/** What a program with a keychain has beside it, whatever it is packaged with: a native module cannot be part of a bundle. */
export function installBeside(out, installed) {
  mkdirSync(join(out, 'node_modules/@mcp-fittings'), { recursive: true });
  mkdirSync(join(out, 'node_modules/@napi-rs'));
  const link = (name, target) => symlinkSync(target, join(out, 'node_modules', name));
  link('@mcp-fittings/store-keychain', join(installed, 'node_modules/@mcp-fittings/store-keychain'));
  link('@napi-rs/keyring', join(here, '../../node_modules/@napi-rs/keyring'));
}
