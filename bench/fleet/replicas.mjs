/** Processes of the example's replica program, which are killed and started again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.mjs';

const MAIN = join(import.meta.dirname, '../../examples/gateway-fleet/dist/main.js');
const LAST_LINES = 5;

/** @param {number} count @param {Record<string, string>} env what a replica gets besides its ports */
export async function startReplicas(count, env) {
  const ports = [];
  for (let at = 0; at < 2 * count; at++) ports.push(await freePort());
  const children = new Map();
  /** In the order in which they began to listen. */
  const listening = new Set();
  const notes = { starts: 0, exits: 0, lines: new Map() };
  let isClosed = false;

  const start = (port, at) => {
    notes.starts++;
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        OPERATIONS_PORT: String(ports[count + at]),
        NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE,
        ...env,
      },
    });
    children.set(port, child);
    listening.delete(port);
    const ready = once(child.stdout, 'data').then(() => children.get(port) === child && listening.add(port));
    let last = [];
    child.stderr.on('data', (chunk) => {
      for (const line of String(chunk).split('\n').filter(Boolean)) {
        const { message = line } = parse(line);
        notes.lines.set(message, (notes.lines.get(message) ?? 0) + 1);
        last = [...last, line].slice(-LAST_LINES);
      }
    });
    child.once('exit', (code, signal) => {
      if (signal !== 'SIGKILL') {
        notes.exits++;
        console.error(`A replica ended by itself (${code ?? signal}): ${last.join('\n')}`);
      }
      if (!isClosed) void start(port, at);
    });
    return ready;
  };
  const own = ports.slice(0, count);
  const closeAll = () => {
    isClosed = true;
    for (const child of children.values()) child.kill('SIGKILL');
  };
  process.once('exit', closeAll);

  return {
    ports: own,
    operationsPorts: ports.slice(count),
    notes,
    /** Starts all; resolves when they listen. */
    start: () => Promise.all(own.map((port, at) => start(port, at))),
    /** Kills the one that has listened for longest, which starts again at once. Returns false if it is the only one that listens. */
    kill() {
      const [port] = listening;
      if (listening.size < 2) return false;
      listening.delete(port);
      return children.get(port).kill('SIGKILL');
    },
    close: closeAll,
  };
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
