import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TokenStoreFixture } from './store-options.js';

/** Another process with its own store on the same data. It is killed at the end of the test. */
export interface StoreProcess extends AsyncDisposable {
  /** Resolves with the rest of the line when the process prints `word`. Rejects if it exits before. */
  heard(word: string): Promise<string>;
  /** Resolves when the process exits with success, and rejects otherwise. */
  ended(): Promise<void>;
  /** Lets a process that is `ready` begin to count, so that several do at once. */
  begin(): void;
  signal(name: NodeJS.Signals): void;
}

/**
 * `count`: increments a counter so many times under its lock, once it may begin. `hold`: acquires the lock, prints `holding`, and when the lock is
 * lost, tries to write and prints `lost <code of the error>`.
 */
export type StoreTask = readonly ['count', key: string, times: string] | readonly ['hold', key: string];

// The modules of the stores are JavaScript, so this program needs no build.
const PROGRAM = `
const [module, argument, task, key, times] = process.argv.slice(1);
const store = await (await import(module)).openStore(argument);
const say = (line) => process.stdout.write(line + '\\n');
say('ready');
if (task === 'count') {
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
  for (let n = 0; n < Number(times); n++) {
    await store.withLock(key, async () => {
      const count = (await store.get(key))?.count ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
      await store.set(key, { count: count + 1 });
    });
  }
  say('counted');
} else {
  const alive = setInterval(() => {}, 1000);
  await store.withLock(key, (signal) => new Promise((resolve) => {
    signal.addEventListener('abort', async () => {
      await store.set(key, { by: 'loser' }).then(() => say('lost wrote'), (error) => say('lost ' + error.code));
      resolve();
    });
    say('holding');
  }));
  clearInterval(alive);
}
await store[Symbol.asyncDispose]?.();
`;

const LONGEST_REPORT = 4000;

export function startStoreProcess(
  { module, argument }: NonNullable<TokenStoreFixture['module']>,
  task: StoreTask,
): StoreProcess {
  const args = ['--input-type=module', '--eval', PROGRAM, '--', module.href, argument, ...task];
  const child = spawn(process.execPath, args, { stdio: 'pipe' });
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-LONGEST_REPORT);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const watcher of watchers) watcher();
  });
  const exit = exitOf(child);

  return {
    heard(word) {
      const said = new Promise<string>((resolve) => {
        const look = (): void => {
          const line = lines.find((candidate) => candidate.split(' ')[0] === word);
          if (line === undefined) return;
          watchers.delete(look);
          resolve(line.slice(word.length + 1));
        };
        watchers.add(look);
        look();
      });
      const never = exit.then((status) => {
        throw new Error(`The process ended (${status}) before it said '${word}': ${complaint}`);
      });
      return Promise.race([said, never]);
    },
    async ended() {
      const status = await exit;
      if (status !== '0') throw new Error(`The process ended with ${status}: ${complaint}`);
    },
    begin: () => void child.stdin.write('\n'),
    signal: (name) => void child.kill(name),
    async [Symbol.asyncDispose]() {
      // SIGKILL also ends a process that is stopped.
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Exit code or name of the signal, when its output has been read to the end. */
function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(String(signal ?? code)));
  });
}
