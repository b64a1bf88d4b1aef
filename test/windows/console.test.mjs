/** `fittings` on a console of Windows: Wine makes one of a pseudo-terminal of `script`. Runs on Linux. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { nodeForWindows, windowsPath } from './wine.mjs';

const cli = join(import.meta.dirname, '../../packages/cli');
const [DOWN, ENTER, INTERRUPT] = ['\u001b[B', '\r', '\u0003'];

let root;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'console-'));
  await mkdir(join(root, 'project/.git'), { recursive: true });
  await mkdir(join(root, 'home'));
  const servers = { silent: { command: 'node', args: ['-e', 'setInterval(() => {}, 1000)', root] } };
  await writeFile(join(root, 'project/.mcp.json'), JSON.stringify({ mcpServers: servers }));
});
after(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

/** Returns true if the server runs. */
function isRunning() {
  return readdirSync('/proc').some((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return words.includes('setInterval') && words.includes(root);
    } catch {
      return false;
    }
  });
}

/** Runs `fittings`, and types the keys of each step once its text is on the console. */
async function fittings(args, steps = []) {
  const { command, program, env } = nodeForWindows('22');
  const words = [command, program, windowsPath(join(cli, 'dist/bin.js')), ...args];
  const child = spawn('script', ['-qefc', words.map((word) => `'${word}'`).join(' '), '/dev/null'], {
    cwd: join(root, 'project'),
    env: {
      ...env,
      TERM: 'xterm',
      HOME: windowsPath(join(root, 'home')),
      NODE_OPTIONS: `${env.NODE_OPTIONS} --require ${windowsPath(join(cli, 'test/support/account-home.cjs'))}`,
    },
  });
  let shown = '';
  const left = [...steps];
  child.stdout.on('data', (chunk) => {
    shown += stripVTControlCharacters(chunk.toString());
    while (left.length > 0 && shown.includes(left[0][0])) child.stdin.write(left.shift()[1]());
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, shown };
}

void test('a person approves a server with the keys of the arrow', async () => {
  const { code, shown } = await fittings(
    ['approve', 'silent'],
    [
      ['Allow silent to run?', () => DOWN],
      ['> Yes', () => ENTER],
    ],
  );
  assert.ok(shown.includes(`The project "${windowsPath(join(root, 'project'))}" defines`), shown);
  assert.match(shown, /silent: approved/);
  assert.equal(code, 0);
});

void test('Ctrl-C ends a wait with exit code 130, and the server', async () => {
  let wasRunning = false;
  const interrupt = () => {
    wasRunning = isRunning();
    return INTERRUPT;
  };
  const { code, shown } = await fittings(['list', 'tools', 'silent'], [['waiting', interrupt]]);
  assert.equal(code, 130, shown);
  assert.deepEqual([wasRunning, isRunning()], [true, false]);
});

void test('a mistake at the command line has exit code 2', async () => {
  assert.equal((await fittings(['lsit'])).code, 2);
});
