// A server that does what its arguments and the requests say, and nothing besides. No dependency, so it starts fast.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const flags = new Set(process.argv.slice(2));
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

if (process.env.START_LOG !== undefined) appendFileSync(process.env.START_LOG, `${process.pid}\n`);
if (flags.has('--ignore-sigterm')) process.on('SIGTERM', () => undefined);
if (flags.has('--ignore-stdin-end')) setInterval(() => undefined, 1000);
if (flags.has('--stderr-first')) process.stderr.write('x'.repeat(2_000_000));

const methods = {
  ping: () => ({}),
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'toy', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [] }),
  echo: (params) => params,
  argv: () => ({ argv: process.argv.slice(2) }),
  env: () => ({ env: process.env }),
  cwd: () => ({ cwd: process.cwd() }),
  blob: ({ length }) => ({ text: 'x'.repeat(length) }),
  length: ({ text }) => ({ length: text.length }),
  silent: () => undefined,
  /** Puts base64 chunks on stdout, each with a system call of its own. */
  raw: ({ chunks }) => {
    for (const chunk of chunks) writeAll(1, Buffer.from(chunk, 'base64'));
    return {};
  },
  /** The same text so many times, then the answer. */
  flood: ({ text, times }) => {
    const block = Buffer.from(text.repeat(Math.min(times, 10_000)));
    for (let left = times; left > 0; left -= 10_000) {
      writeAll(1, left >= 10_000 ? block : Buffer.from(text.repeat(left)));
    }
    return {};
  },
  /** The same text until the process is killed. */
  'flood-without-end': ({ text }) => {
    const block = Buffer.from(text.repeat(Math.ceil(100_000 / text.length)));
    for (;;) writeAll(1, block);
  },
  stderr: ({ text, times = 1 }) => {
    const bytes = Buffer.from(text);
    for (let count = 0; count < times; count++) writeAll(2, bytes);
    return {};
  },
  /** Starts a grandchild that holds our pipes, and answers with its pid. */
  grandchild: ({ code = 'setInterval(() => undefined, 1000)' }) => {
    const child = spawn(process.execPath, ['-e', code], { stdio: 'inherit' });
    return new Promise((resolve) => child.once('spawn', () => resolve({ pid: child.pid })));
  },
  /** Answers `last` out of the blue and exits at once. */
  exit: ({ code = 0, before = '', last, words }) => {
    writeAll(1, Buffer.from(before));
    if (words !== undefined) writeAll(2, Buffer.from(words));
    if (last !== undefined) writeAll(1, Buffer.from(`${JSON.stringify(last)}\n`));
    process.exit(code);
  },
  signal: ({ signal }) => {
    process.kill(process.pid, signal);
    return undefined;
  },
  'close-stdout': () => {
    setInterval(() => undefined, 1000);
    process.stdout.destroy();
    closeSync(1);
    return undefined;
  },
  'stop-reading': () => {
    setInterval(() => undefined, 1000);
    process.stdin.pause();
    return {};
  },
  'close-stdin': () => {
    setInterval(() => undefined, 1000);
    process.stdin.destroy();
    closeSync(0);
    return undefined;
  },
};

if (flags.has('--discover')) {
  methods['server/discover'] = () => ({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    serverInfo: { name: 'toy', version: '1.0.0' },
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
  });
  methods['tools/list'] = () => ({ tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
}
if (flags.has('--discover-silent')) methods['server/discover'] = () => undefined;
if (flags.has('--discover-late')) {
  let answer;
  methods['server/discover'] = () => new Promise((resolve) => (answer = resolve));
  methods.release = () => answer({ supportedVersions: ['2026-07-28'] }) ?? {};
}
if (flags.has('--discover-exit')) methods['server/discover'] = () => process.exit(1);
if (flags.has('--discover-exit-always')) {
  methods['server/discover'] = () => process.exit(1);
  methods.initialize = () => methods.exit({ code: 4, words: 'no second chance\n' });
}

createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (!Object.hasOwn(methods, method)) {
    say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    return;
  }
  void Promise.resolve(methods[method](params)).then((result) => {
    if (result !== undefined) say({ jsonrpc: '2.0', id: flags.has('--text-ids') ? String(id) : id, result });
  });
});

const resting = new Int32Array(new SharedArrayBuffer(4));

function writeAll(fd, bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      // The pipe is full: leaves the core to the reader.
      Atomics.wait(resting, 0, 0, 1);
    }
  }
}
