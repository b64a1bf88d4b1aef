import { execFile } from 'node:child_process';
import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everythingServer, type EverythingServer } from '../../../scripts/everything-server.js';
import { everything, only, openWorkspace, type Run, type Workspace } from './support/workspace.js';

const run = promisify(execFile);
const modules = join(import.meta.dirname, '../../../node_modules');

let server: EverythingServer;
let ONE: readonly string[];
beforeAll(async () => {
  server = await everythingServer();
  ONE = ['--store', 'memory', ...only({ everything: { url: server.url } })];
});
afterAll(() => server[Symbol.asyncDispose]());

async function compile(workspace: Workspace, compiler: string, ...files: readonly string[]): Promise<string> {
  const options =
    '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --target es2022 --module nodenext --types node';
  const args = [join(modules, compiler, 'bin/tsc'), ...options.split(' '), '--pretty', 'false', ...files];
  return run(process.execPath, args, { cwd: workspace.project }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

async function openProject(here = true): Promise<Workspace> {
  const workspace = await openWorkspace({ here });
  await symlink(modules, join(workspace.project, 'node_modules'));
  await workspace.write('package.json', { type: 'module' });
  return workspace;
}

const PROGRAMS = {
  host: `import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { createEverythingClient } from './everything.js';
await using host = createHost({ name: 'tests', version: '1.0.0', transports: [http()] });
await host.connect({ everything: { type: 'http', url: process.argv[2] ?? '' } });
const everything = createEverythingClient(host);`,
  sdk: `import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createEverythingClient } from './everything.js';
const client = new Client({ name: 'tests', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2] ?? '')) as Transport);
const everything = createEverythingClient(client);`,
  'sdk-v2': `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createEverythingClient } from './everything.js';
const client = new Client({ name: 'tests', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2] ?? '')));
const everything = createEverythingClient(client);`,
} as const;

const USE = `
const sum = await everything.getSum({ a: 2, b: 3 });
const { temperature } = await everything.getStructuredContent({ location: 'Chicago' });
// @ts-expect-error -- it is not a city of the enum
const failing = everything.getStructuredContent({ location: 'Paris' });
const refused = await failing.then(() => 'accepted', () => 'refused');
console.log(JSON.stringify([sum.content[0], typeof temperature, refused]));
process.exit();
`;

describe('fittings generate', () => {
  describe('client, written for each caller', () => {
    const CALLERS = ['host', 'sdk', 'sdk-v2'] as const;
    let workspace: Workspace;
    const made: Run[] = [];
    /** What the compilers say about all of them: one run of each reads the declarations of the packages once. */
    const complaints: string[] = [];
    beforeAll(async () => {
      workspace = await openProject();
      const programs: string[] = [];
      for (const caller of CALLERS) {
        const file = `everything-${caller}`;
        const args = ['generate', 'client', 'everything', '--for', caller, '-o', `${file}.ts`, ...ONE];
        made.push(await workspace.fittings(args));
        const program = `${PROGRAMS[caller]}${USE}`.replace('./everything.js', `./${file}.js`);
        await workspace.write(`program-${caller}.ts`, program);
        programs.push(`program-${caller}.ts`);
      }
      complaints.push(await compile(workspace, 'typescript-5.9', '--skipLibCheck', '--noEmit', ...programs));
      complaints.push(await compile(workspace, 'typescript', '--skipLibCheck', ...programs));
    });
    afterAll(() => workspace[Symbol.asyncDispose]());

    it('says how many functions it wrote', () => {
      expect(made).toHaveLength(CALLERS.length);
      for (const [index, caller] of CALLERS.entries()) {
        const wrote = new RegExp(`^Wrote \\d+ functions to .*everything-${caller}\\.ts\\.\n$`);
        expect(made[index]).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(wrote) });
      }
    });

    it('compiles as it is', () => expect(complaints).toEqual(['', '']));

    it.each(CALLERS)('calls the server, for %s', async (caller) => {
      const program = [`program-${caller}.js`, server.url];
      const { stdout } = await run(process.execPath, program, { cwd: workspace.project });
      expect(JSON.parse(stdout)).toEqual([
        { type: 'text', text: 'The sum of 2 and 3 is 5.' },
        'number',
        'refused',
      ]);
    });
  });

  it('types prints a module of declarations; the built program does too, and twice the same', async () => {
    await using workspace = await openProject(false);
    const args = ['generate', 'types', 'everything', '--store', 'memory', ...only({ everything })];
    const first = await workspace.fittings(args);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^\/\/ Generated by fittings generate types everything\. Do not edit\.\n/);
    expect(first.stdout).toContain('getSum(args: GetSumArguments): Promise<ToolResult>;');
    await writeFile(join(workspace.project, 'everything.d.ts'), first.stdout);
    expect(await compile(workspace, 'typescript', '--noEmit', 'everything.d.ts')).toBe('');
    expect((await workspace.fittings(args)).stdout).toBe(first.stdout);
  });

  it('--check fails if the file is missing or old, and writes nothing', async () => {
    await using workspace = await openProject();
    const write = ['generate', 'client', 'everything', '--tool', 'get-*', '-o', 'src.ts', ...ONE];
    const check = [...write, '--check'];
    const file = join(workspace.project, 'src.ts');
    const missing = await workspace.fittings(check);
    expect(missing).toMatchObject({ code: 1, stderr: '' });
    expect(missing.stdout).toContain(
      "is not up to date. Write it again: fittings generate client everything --tool 'get-*' -o src.ts",
    );
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });

    await workspace.fittings(write);
    const text = await readFile(file, 'utf8');
    expect(text).toContain(
      "// Generated by fittings generate client everything --tool 'get-*'. Do not edit.",
    );
    expect((await workspace.json(check)).value).toMatchObject({ upToDate: true });
    // Git may check it out with other line ends.
    await writeFile(file, text.replaceAll('\n', '\r\n'));
    expect((await workspace.fittings(check)).code).toBe(0);
    await writeFile(file, text.replace('getSum', 'getSums'));
    expect(await workspace.json(check)).toMatchObject({ code: 1, value: { upToDate: false } });
    expect(await readFile(file, 'utf8')).toContain('getSums');
    expect((await workspace.json(write)).value).toMatchObject({ changed: true });
    expect((await workspace.json(write)).value).toMatchObject({ changed: false });
  });

  it('--tool chooses tools, and --closed makes unlisted properties an error', async () => {
    await using workspace = await openProject();
    const { value } = await workspace.json([
      'generate',
      'types',
      'everything',
      '--tool',
      'echo',
      '--tool',
      'get-s*',
      '--closed',
      ...ONE,
    ]);
    expect(value).toMatchObject({
      kind: 'types',
      server: 'everything',
      skipped: [],
      functions: [
        { name: 'echo', tool: 'echo', structured: false, differences: [] },
        { name: 'getStructuredContent', structured: true },
        { name: 'getSum' },
      ],
      text: expect.not.stringContaining('[key: string]: unknown;\n};\nexport interface EverythingTools'),
    });
  });

  it.each([
    [['generate', 'types'], 2, "missing required argument 'server'"],
    [['generate', 'program', 'everything'], 2, 'Allowed choices are types, client'],
    [['generate', 'client', 'everything', '--for', 'python'], 2, 'Allowed choices are host, sdk, sdk-v2'],
    [['generate', 'client', 'everything', '--check'], 2, '--check needs the file to check'],
    [['generate', 'types', 'everything', '--for', 'sdk'], 2, '--for is for clients'],
    [
      ['generate', 'types', 'everything', '--tool', 'ech'],
      2,
      'List its tools: fittings list tools everything',
    ],
    [['generate', 'types', 'nothing'], 3, 'nothing'],
    [['generate', 'types', 'everything', '-o', 'no/such/folder.d.ts'], 3, 'Cannot write the file'],
  ])('%j ends with %i', async (args, code, words) => {
    await using workspace = await openProject();
    const ended = await workspace.fittings([...args, ...ONE]);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(words);
  });

  it('completes what to write, and the names of servers', async () => {
    await using workspace = await openProject();
    await workspace.write('.mcp.json', { mcpServers: { shop: { command: 'x' } } });
    const complete = async (...words: readonly string[]) =>
      (await workspace.fittings(['__complete', '--', ...words])).stdout.trim().split('\n');
    expect(await complete('generate', '')).toEqual(['types', 'client']);
    expect(await complete('generate', 'client', '')).toEqual(['shop']);
    expect(await complete('generate', 'client', 'shop', '--for', '')).toEqual(['host', 'sdk', 'sdk-v2']);
    expect(await complete('generate', 'client', 'shop', '--c')).toEqual(['--check', '--closed']);
  });
});
