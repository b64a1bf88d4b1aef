/**
 * `node packages/cli/scripts/status-picture.mjs`: runs `fittings status` on real servers and writes what the terminal
 * showed to docs/assets/fittings-status.svg. With `--check` it compares instead.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ansiToSvg } from './ansi-to-svg.mjs';

const require = createRequire(import.meta.url);
const PICTURE = fileURLToPath(new URL('../../../docs/assets/fittings-status.svg', import.meta.url));
const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

const root = realpathSync(mkdtempSync(join(tmpdir(), 'fittings-picture-')));
const guarded = createServer((_, response) =>
  response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
);
guarded.listen(0, '127.0.0.1');
await once(guarded, 'listening');
try {
  const svg = ansiToSvg(`$ fittings status\n${await status()}`, { title: 'fittings status in a terminal' });
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(PICTURE), { recursive: true });
    writeFileSync(PICTURE, svg);
  } else if (svg !== readFileSync(PICTURE, 'utf8')) {
    console.error(`${PICTURE} is not what fittings shows: run node packages/cli/scripts/status-picture.mjs`);
    process.exitCode = 1;
  }
} finally {
  guarded.close();
  rmSync(root, { recursive: true });
}

async function status() {
  const project = join(root, 'project');
  const home = join(root, 'home');
  const programs = join(root, 'bin');
  for (const folder of [join(project, '.git'), join(home, '.config/mcp-fittings'), programs]) {
    mkdirSync(folder, { recursive: true });
  }
  symlinkSync(process.execPath, join(programs, 'node'));
  const server = (name, ...args) => ({
    command: 'node',
    args: [require.resolve(`${name}/dist/index.js`), ...args],
  });
  const servers = {
    everything: server('@modelcontextprotocol/server-everything'),
    filesystem: server('@modelcontextprotocol/server-filesystem', project),
    memory: {
      ...server('@modelcontextprotocol/server-memory'),
      env: { MEMORY_FILE_PATH: join(home, 'memory.json') },
    },
    notion: { url: `http://127.0.0.1:${guarded.address().port}/mcp` },
    build: { command: 'build-mcp' },
  };
  writeFileSync(join(home, '.config/mcp-fittings/servers.json'), JSON.stringify({ mcpServers: servers }));
  // Somebody who works on the project has added one.
  writeFileSync(
    join(project, '.mcp.json'),
    JSON.stringify({ mcpServers: { database: { command: 'db-mcp' } } }),
  );
  const child = spawn(process.execPath, [BIN, '--store', 'memory', 'status'], {
    cwd: project,
    env: { PATH: programs, HOME: home, FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await once(child, 'close');
  return text;
}
