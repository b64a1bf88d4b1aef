import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { formatHelp } from '../src/command-line/help-text.js';
import { helpTexts } from '../src/help-texts.js';
import { runCli } from '../src/main.js';
import { BIN } from './support/bridge-process.js';

// Each starts processes; on a loaded machine that takes its time.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let recorder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fittings-files-'));
  recorder = join(folder, 'recorder.cjs');
  // Notes every file that a process compiles as CommonJS or as a script, or loads as an ES module.
  await writeFile(
    recorder,
    `const fs = require('node:fs');
    const Module = require('node:module');
    const files = new Set();
    const compile = Module.prototype._compile;
    Module.prototype._compile = function (code, file) { files.add(file); return compile.apply(this, arguments); };
    const vm = require('node:vm');
    vm.Script = class extends vm.Script {
      constructor(code, options) { super(code, options); files.add(options.filename); }
    };
    Module.register?.('data:text/javascript,' + encodeURIComponent(\`
      import fs from 'node:fs';
      export async function load(url, context, next) {
        if (url.startsWith('file:')) fs.appendFileSync(\${JSON.stringify(process.env.LOADED)}, url + '\\\\n');
        return next(url, context);
      }\`));
    process.on('exit', () => fs.appendFileSync(process.env.LOADED, [...files].map((file) => file + '\\n').join('')));`,
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the published program, and returns what it printed and which files it loaded. */
async function record(args: readonly string[]) {
  const loaded = join(folder, `loaded-${args.join('').replaceAll(/\W/g, '')}`);
  await writeFile(loaded, '');
  // The recorder's own: Node.js 26 has deprecated `module.register`, and Node.js 20 has nothing else.
  const node = ['--disable-warning=DEP0205', '--require', recorder];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...node, BIN, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, LOADED: loaded },
  });
  const files = (await readFile(loaded, 'utf8')).split('\n').filter((file) => file !== '');
  return { stdout, stderr, status, files: [...new Set(files)].map((file) => file.split('/').at(-1)) };
}

describe('the published program', () => {
  it.each([
    [['--version']],
    [['-V']],
    [['--help']],
    [['-h']],
    [['help']],
    [['list', '--help']],
    [['bridge', '-h']],
    [['help', 'call']],
  ])('answers %j with its first file alone', async (args) => {
    const { files, stderr, stdout, status } = await record(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^(?:Usage: fittings|\d+\.\d+\.\d+)/);
    expect(files).toEqual(['bin.cjs']);
  });

  it('loads the program for everything else, which the recorder sees', async () => {
    const unknown = await record(['nonsense', '--help']);
    expect(unknown.files).toContain('run-process.cjs');
    const usage = await record(['list', '--nonsense']);
    expect(usage.status).toBe(2);
    expect(usage.files).toContain('run-process.cjs');
  });

  it('prints the help that commander prints', async () => {
    for (const command of ['', 'list', 'bridge']) {
      const args = command === '' ? ['--help'] : [command, '--help'];
      const published = await record(args);
      expect(published.stdout).toBe((await runHere(args, 80)).stdout);
    }
  });
});

describe('the help that is published', () => {
  const widths = [20, 41, 60, 80, 100, 137, 240];

  it.each(Object.keys(helpTexts()))(
    'is that of commander in terminals of every width: "%s"',
    async (name) => {
      const help = helpTexts()[name];
      for (const width of widths) {
        const { stdout } = await runHere(name === 'index' ? ['--help'] : [name, '--help'], width);
        expect(formatHelp(help ?? { lines: [], after: '' }, width)).toBe(stdout);
      }
    },
  );

  it('names every command that is not hidden', async () => {
    const { stdout } = await runHere(['--help'], 80);
    const commands = Object.keys(helpTexts()).filter((name) => name !== 'index');
    expect(commands.length).toBeGreaterThan(15);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(commands).not.toContain('__complete');
  });
});

async function runHere(args: readonly string[], columns: number): Promise<{ readonly stdout: string }> {
  const stdout = Object.assign(new PassThrough(), { columns });
  const printed = text(stdout);
  const { signal } = new AbortController();
  const stderr = new PassThrough();
  await runCli(args, { stdin: new PassThrough(), stdout, stderr, env: {}, cwd: process.cwd(), signal });
  stdout.end();
  return { stdout: await printed };
}

/** Answers every request with a list of one tool, which is also the result of its call. */
const SERVER = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'hello' }] },
  };
  const body = method in results ? { result: results[method] } : { error: { code: -32601, message: 'Method not found' } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
});`;

it('calls a tool without the declarations of all commands, from few files', async () => {
  const file = join(folder, 'servers.json');
  const server = { command: process.execPath, args: ['-e', SERVER] };
  await writeFile(file, JSON.stringify({ mcpServers: { a: server } }));
  const { stdout, files } = await record(['call', 'a/greet', '--strict-mcp-config', '--mcp-config', file]);
  expect(stdout).toBe('hello\n');
  expect(files).toContain('program-call.cjs');
  expect(files).not.toContain('program-main.cjs');
  expect(files.length).toBeLessThan(12);
});
