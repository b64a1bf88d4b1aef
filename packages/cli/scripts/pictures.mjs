/**
 * `node packages/cli/scripts/pictures.mjs`: runs `fittings` on real servers and writes what the terminal showed to
 * docs/assets/fittings-*.svg. With `--check` it compares instead.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ansiToSvg } from './ansi-to-svg.mjs';

const require = createRequire(import.meta.url);
const ASSETS = fileURLToPath(new URL('../../../docs/assets/', import.meta.url));
const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

const root = realpathSync(mkdtempSync(join(tmpdir(), 'fittings-picture-')));
const project = join(root, 'project');
const home = join(root, 'home');
const programs = join(root, 'bin');
const guarded = createServer((_, response) =>
  response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
);
guarded.listen(0, '127.0.0.1');
await once(guarded, 'listening');
try {
  prepareFiles();
  const pictures = new Map();
  pictures.set('help', picture('fittings --help', await help('--help')));
  pictures.set('status', picture('fittings status', await fittings('--store', 'memory', 'status')));
  const doctor = await fittings(
    '--store',
    'memory',
    'doctor',
    '--mcp-config',
    'shop.json',
    '--strict-mcp-config',
  );
  pictures.set('doctor', picture('fittings doctor', doctor));
  pictures.set('approve', picture('fittings approve', await approve()));
  save(pictures);
} finally {
  guarded.close();
  rmSync(root, { recursive: true });
}

function picture(command, text) {
  const shown = text
    .replaceAll(home, '~')
    .replaceAll(project, '~/shop')
    .replaceAll(/process \d+/g, 'process 4242');
  return ansiToSvg(`$ ${command}\n${shown}`, { title: `${command} in a terminal` });
}

function save(pictures) {
  const fileOf = (name) => join(ASSETS, `fittings-${name}.svg`);
  const wanted = new Set([...pictures.keys()].map((name) => `fittings-${name}.svg`));
  const old = readdirSync(ASSETS).filter((name) => name.startsWith('fittings-') && !wanted.has(name));
  if (!process.argv.includes('--check')) {
    for (const [name, svg] of pictures) writeFileSync(fileOf(name), svg);
    for (const name of old) rmSync(join(ASSETS, name));
    return;
  }
  const wrong = [...pictures]
    .filter(([name, svg]) => !isSame(fileOf(name), svg))
    .map(([name]) => fileOf(name));
  if (wrong.length + old.length === 0) return;
  console.error(`Not what fittings shows: ${[...wrong, ...old].join(', ')}`);
  console.error('Run node packages/cli/scripts/pictures.mjs');
  process.exitCode = 1;
}

function isSame(file, text) {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false;
  }
}

function prepareFiles() {
  for (const folder of [join(project, '.git'), join(home, '.config/mcp-fittings'), programs]) {
    mkdirSync(folder, { recursive: true });
  }
  symlinkSync(process.execPath, join(programs, 'node'));
  const server = (name, ...args) => ({
    command: 'node',
    args: [require.resolve(`${name}/dist/index.js`), ...args],
  });
  const everything = server('@modelcontextprotocol/server-everything');
  const servers = {
    everything,
    filesystem: server('@modelcontextprotocol/server-filesystem', project),
    memory: {
      ...server('@modelcontextprotocol/server-memory'),
      env: { MEMORY_FILE_PATH: join(home, 'memory.json') },
    },
    notion: { url: `http://127.0.0.1:${guarded.address().port}/mcp` },
    build: { command: 'build-mcp' },
  };
  const write = (file, mcpServers) => writeFileSync(file, JSON.stringify({ mcpServers }));
  write(join(home, '.config/mcp-fittings/servers.json'), servers);
  // A member of the project has added one.
  const database = { command: 'db-mcp', args: ['--file', 'shop.db'], env: { TOKEN: '${SHOP_TOKEN}' } };
  write(join(project, '.mcp.json'), { database });
  write(join(project, 'shop.json'), { everything, build: { command: 'build-mcp' } });
}

async function fittings(...args) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: project,
    // Without TERM, it takes a desktop for what started it, and looks in the folders of this machine too.
    env: { PATH: programs, HOME: home, FORCE_COLOR: '1', TERM: 'xterm' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await once(child, 'close');
  return text;
}

/** Help, broken into lines as in a terminal. */
async function help(...args) {
  const terminal = openTerminal();
  await terminal.run(args);
  return terminal.text;
}

/** The question as a person at a terminal sees it first; it is given up then. */
async function approve() {
  const terminal = openTerminal();
  const ended = terminal.run(['approve']);
  await terminal.shows('Never');
  const first = terminal.text;
  terminal.giveUp();
  await ended;
  // Hiding the cursor shows nothing.
  return first.replaceAll('\u001b[?25l', '');
}

/** A terminal of this process: what the CLI takes for one. */
function openTerminal() {
  const env = { PATH: programs, HOME: home, FORCE_COLOR: '1', TERM: 'xterm' };
  // Libraries look there.
  Object.assign(process.env, { HOME: home, FORCE_COLOR: '1' });
  const abort = new AbortController();
  const listeners = new Set();
  const write = (chunk, _encoding, done) => {
    terminal.text += chunk;
    for (const listener of listeners) listener();
    done();
  };
  const screen = () => Object.assign(new Writable({ write }), { isTTY: true, columns: 104, rows: 40 });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const terminal = {
    text: '',
    async run(args) {
      const { runCli } = await import('../dist/main.js');
      const world = { stdin, stdout: screen(), stderr: screen(), env, cwd: project, signal: abort.signal };
      return runCli(args, world);
    },
    shows: (what) =>
      new Promise((resolve) => {
        listeners.add(() => terminal.text.includes(what) && resolve());
      }),
    giveUp: () => abort.abort(new Error('The picture is taken.')),
  };
  return terminal;
}
