import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript-5.9';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { installedPackages } from '../../../scripts/installed.mjs';

const root = join(import.meta.dirname, '../../..');
const PAGE_FILE = join(root, 'docs/cli-json.md');
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
  described = read(await readFile(PAGE_FILE, 'utf8'));
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
  ['List', ['list']],
  ['ListTools', ['list', 'tools', 'everything']],
  ['ListPrompts', ['list', 'prompts', 'everything']],
  ['ListResources', ['list', 'resources', 'everything']],
  ['Status', ['status']],
  ['Call', ['call', ...SUM]],
  ['Call', ['call', 'everything/get-structured-content', 'location=Chicago']],
  ['Read', ['read', PAGE]],
  ['Read', ['read', PAGE, '-o', 'features.md']],
  ['Prompt', ['prompt', 'everything/args-prompt', 'city=Rome']],
  ['Complete', ['complete', 'prompt', 'everything/completable-prompt', 'department', 'E']],
  ['Init', ['init', '--model', 'openai']],
  ['Add', ['add', 'more', 'https://mcp.example.com/mcp']],
  ['Edit', ['disable', 'more']],
  ['Edit', ['enable', 'more']],
  ['Edit', ['remove', 'more']],
  ['Approve', ['approve']],
  ['Pins', ['pins']],
  ['PinsShow', ['pins', 'show', 'everything', 'echo']],
  ['PinsAccept', ['pins', 'accept', 'everything']],
  ['PinsRemove', ['pins', 'remove', 'everything', 'echo']],
  ['Pins', ['pins', 'list', 'everything']],
  ['PinsShow', ['pins', 'show', 'everything']],
  ['PinsAccept', ['pins', 'accept', 'everything']],
  ['Login', ['login', 'everything']],
  ['Logout', ['logout', 'everything']],
  ['ImportPrograms', ['import']],
  ['Import', ['import', '--from', 'cursor', '--all', '--dry-run']],
  ['Import', ['import', '--from', 'cursor', '--all']],
  ['Export', ['export', '--to', 'claude-desktop']],
  ['Export', ['export', '--to', 'vscode', '--output', 'vscode.json']],
  ['Doctor', ['doctor']],
  ['ServeSocket', ['serve', '--socket', '--idle', '1']],
  ['Completion', ['completion', 'bash']],
  ['Failure', ['call', 'everything/nothing']],
  ['Failure', ['status', 'unknown']],
  ['Failure', ['lst']],
])('the page has the shape of %s: %j', async (name, args) => {
  const value = await run(args);
  const page = described.get(name) ?? new Map<string, Described>();
  expect(page.size, name).toBeGreaterThan(0);
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
  const page = await readFile(PAGE_FILE, 'utf8');
  const without = ['bridge', 'help', 'fittings'];
  const missing = commands.filter((name) => !new RegExp(`^/\\*\\* .*\`${name}\\b`, 'm').test(page));
  expect(missing.filter((name) => !without.includes(name))).toEqual([]);
});

async function run(args: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CI: 'true', FITTINGS_STORE: 'memory' };
  const options = { cwd: project, env };
  const ended = await promisify(execFile)(process.execPath, [bin, ...args, '--json'], options).catch(
    (error: { stdout: string }) => error,
  );
  return JSON.parse(ended.stdout) as unknown;
}

/** The interfaces of the page, by name: each path, such as `servers[].name`, with its type. */
function read(text: string): ReadonlyMap<string, ReadonlyMap<string, Described>> {
  const [, code = ''] = /^```ts [^\n]*\n([\s\S]*?)^```/m.exec(text) ?? [];
  const file = ts.createSourceFile('page.ts', code, ts.ScriptTarget.Latest, true);
  const interfaces = new Map<string, ts.InterfaceDeclaration>();
  const aliases = new Map<string, ts.TypeNode>();
  for (const statement of file.statements) {
    if (ts.isInterfaceDeclaration(statement)) interfaces.set(statement.name.text, statement);
    if (ts.isTypeAliasDeclaration(statement)) aliases.set(statement.name.text, statement.type);
  }

  const membersOf = (node: ts.TypeNode): ts.NodeArray<ts.TypeElement> | undefined => {
    if (ts.isTypeLiteralNode(node)) return node.members;
    return ts.isTypeReferenceNode(node) ? interfaces.get(node.typeName.getText())?.members : undefined;
  };
  const nameOf = (node: ts.TypeNode): string => {
    if (ts.isArrayTypeNode(node)) return 'array';
    if (membersOf(node) !== undefined) return 'object';
    if (ts.isTypeReferenceNode(node)) {
      const alias = aliases.get(node.typeName.getText());
      if (alias === undefined) throw new Error(`The page has no type ${node.typeName.getText()}.`);
      return nameOf(alias);
    }
    const [first = node] = ts.isUnionTypeNode(node) ? node.types : [];
    if (ts.isLiteralTypeNode(first)) return ts.isStringLiteral(first.literal) ? 'string' : 'boolean';
    const word = first.getText();
    return word === 'unknown' ? 'any' : word;
  };
  const describe = (
    members: ts.NodeArray<ts.TypeElement>,
    prefix: string,
    found: Map<string, Described>,
  ): void => {
    for (const member of members) {
      if (!ts.isPropertySignature(member) || member.type === undefined) continue;
      let path = `${prefix}${member.name.getText()}`;
      let node = member.type;
      found.set(path, { type: nameOf(node), isOptional: member.questionToken !== undefined });
      while (ts.isArrayTypeNode(node)) {
        path = `${path}[]`;
        node = node.elementType;
        if (membersOf(node) === undefined) found.set(path, { type: nameOf(node), isOptional: true });
      }
      describe(membersOf(node) ?? ts.factory.createNodeArray(), `${path}.`, found);
    }
  };
  return new Map(
    [...interfaces].map(([name, { members }]) => {
      const found = new Map<string, Described>();
      describe(members, '', found);
      return [name, found];
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
