import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { installedPackages } from '../../../scripts/installed.mjs';

const root = join(import.meta.dirname, '../../..');
const EVERYTHING = await officialServer('everything');

/** What the page says of one path. */
interface Described {
  readonly type: string;
  readonly isOptional: boolean;
}

let described: ReadonlyMap<string, ReadonlyMap<string, Described>>;
let bin: string;
let home: string;
let project: string;

beforeAll(async () => {
  described = read(await readFile(join(root, 'docs/cli-json.md'), 'utf8'));
  bin = join(await installedPackages(), 'node_modules/@mcp-fittings/cli/program/bin.js');
  home = await realpath(await mkdtemp(join(tmpdir(), 'cli-json-')));
  project = join(home, 'project');
  const everything = { command: process.execPath, args: [EVERYTHING] };
  await write(join(home, '.config/mcp-fittings/servers.json'), {
    mcpServers: { everything, broken: { command: 'no-such-program', reconnect: { maxAttempts: 1 } } },
  });
  await mkdir(join(project, '.git'), { recursive: true });
  await write(join(project, '.mcp.json'), { mcpServers: { db: { command: 'db-mcp', env: { A: '${B}' } } } });
  await write(join(home, '.cursor/mcp.json'), { mcpServers: { c: { command: 'c' }, bad: {} } });
});
afterAll(() => rm(home, { recursive: true, force: true }));

const SUM = ['everything/get-sum', 'a=1', 'b=2'];
const PAGE = 'everything/demo://resource/static/document/features.md';
it.each([
  ['list', ['list']],
  ['list tools', ['list', 'tools', 'everything']],
  ['list prompts', ['list', 'prompts', 'everything']],
  ['list resources', ['list', 'resources', 'everything']],
  ['status', ['status']],
  ['call', ['call', ...SUM]],
  ['call', ['call', 'everything/get-structured-content', 'location=Chicago']],
  ['read', ['read', PAGE]],
  ['read', ['read', PAGE, '-o', 'features.md']],
  ['prompt', ['prompt', 'everything/args-prompt', 'city=Rome']],
  ['complete', ['complete', 'prompt', 'everything/completable-prompt', 'department', 'E']],
  ['init', ['init', '--model', 'openai']],
  ['add', ['add', 'more', 'https://mcp.example.com/mcp']],
  ['remove, enable, disable', ['disable', 'more']],
  ['remove, enable, disable', ['enable', 'more']],
  ['remove, enable, disable', ['remove', 'more']],
  ['approve', ['approve']],
  ['pins', ['pins']],
  ['pins show', ['pins', 'show', 'everything', 'echo']],
  ['pins accept', ['pins', 'accept', 'everything']],
  ['pins remove', ['pins', 'remove', 'everything', 'echo']],
  ['pins', ['pins', 'list', 'everything']],
  ['pins show', ['pins', 'show', 'everything']],
  ['pins accept', ['pins', 'accept', 'everything']],
  ['login', ['login', 'everything']],
  ['logout', ['logout', 'everything']],
  ['import, without a program', ['import']],
  ['import', ['import', '--from', 'cursor', '--all', '--dry-run']],
  ['import', ['import', '--from', 'cursor', '--all']],
  ['export', ['export', '--to', 'claude-desktop']],
  ['export', ['export', '--to', 'vscode', '--output', 'vscode.json']],
  ['doctor', ['doctor']],
  ['serve', ['serve', '--socket', '--idle', '1']],
  ['completion', ['completion', 'bash']],
  ['Errors', ['call', 'everything/nothing']],
  ['Errors', ['status', 'unknown']],
  ['Errors', ['lst']],
])('the page has the shape of %s: %j', async (section, args) => {
  const value = await run(args);
  const page = new Map([...(described.get(section) ?? []), ...(described.get('Problems') ?? [])]);
  expect(page.size, section).toBeGreaterThan(0);
  const found = new Map<string, string>();
  collect(value, '', page, found);
  for (const [path, type] of found) expect(`${path}: ${type}`).toBe(`${path}: ${page.get(path)?.type}`);
  for (const [path, { isOptional }] of page) {
    const hasParent = parentsOf(path).every((parent) => found.has(parent));
    if (!isOptional && hasParent && !isEmpty(value, path)) expect([...found.keys()]).toContain(path);
  }
});

it('the page has every command', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, '--help'], { env: { HOME: home } });
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name = '']) => name);
  expect(commands).toContain('status');
  const sections = [...described.keys()].join(', ').split(/[ ,]+/);
  const without = ['bridge', 'help', 'fittings'];
  expect(commands.filter((name) => !sections.includes(name) && !without.includes(name))).toEqual([]);
});

async function run(args: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CI: 'true', FITTINGS_STORE: 'memory' };
  const options = { cwd: project, env };
  const ended = await promisify(execFile)(process.execPath, [bin, ...args, '--json'], options).catch(
    (error: { stdout: string }) => error,
  );
  return JSON.parse(ended.stdout) as unknown;
}

/** The tables of the page, by heading. */
function read(text: string): ReadonlyMap<string, ReadonlyMap<string, Described>> {
  const sections = text.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const rows = [...section.matchAll(/^\| `([^`]+)` +\| (\w+) +\|/gm)];
      const paths = rows.map(([, path = '', type = '']): [string, Described] => [
        path.replace(/\?$/, ''),
        { type, isOptional: path.endsWith('?') },
      ]);
      return [section.slice(0, section.indexOf('\n')), new Map(paths)];
    }),
  );
}

/** Every path of a value; not below what the page calls "any". */
function collect(
  value: unknown,
  path: string,
  page: ReadonlyMap<string, Described>,
  found: Map<string, string>,
): void {
  const type = page.get(path)?.type === 'any' ? 'any' : typeOf(value);
  if (path !== '') found.set(path, type);
  if (type === 'any') return;
  if (Array.isArray(value)) for (const item of value) collectItem(item, `${path}[]`, page, found);
  else if (typeof value === 'object' && value !== null) collectItem(value, path, page, found);
}

function collectItem(
  value: unknown,
  path: string,
  page: ReadonlyMap<string, Described>,
  found: Map<string, string>,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return collect(value, path, page, found);
  for (const [key, each] of Object.entries(value)) {
    collect(each, path === '' ? key : `${path}.${key}`, page, found);
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

/** `a` and `a[].b` for `a[].b.c`. */
function parentsOf(path: string): readonly string[] {
  const steps = path.split('.').slice(0, -1);
  const ways = steps.map((_step, index) => steps.slice(0, index + 1).join('.'));
  return [...ways, path].flatMap((way) =>
    way.endsWith('[]') ? [way.slice(0, -2)] : way === path ? [] : [way],
  );
}

/** Whether an array on the way has no items, so that there is nothing to compare. */
function isEmpty(value: unknown, path: string): boolean {
  let here: unknown[] = [value];
  for (const step of path.split('.')) {
    const name = step.replace('[]', '');
    here = here.flatMap((each) =>
      typeof each === 'object' && each !== null ? [Reflect.get(each, name) as unknown] : [],
    );
    if (step.endsWith('[]')) here = here.flat();
    if (here.length === 0) return true;
  }
  return here.length === 0;
}

async function write(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value));
}
