import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { dieWithUs } from './die-with-us.js';

export interface Answer {
  readonly token?: string;
  readonly troubles?: readonly string[];
  readonly ok?: boolean;
  readonly code?: string;
  readonly page?: string;
  readonly state?: string;
}

/** One host process. */
export interface Replica {
  ask(command: 'go' | 'web' | 'back', argument: string | number): Promise<Answer>;
  signal(name: NodeJS.Signals): void;
}

export interface Fleet extends AsyncDisposable {
  readonly replicas: readonly Replica[];
  /** Resolves with the next replica that sends a request to the token endpoint. */
  nextAsking(): Promise<Replica>;
}

export interface FleetOptions {
  readonly url: string;
  readonly port: number;
  readonly size: number;
  readonly leaseMs?: number;
  readonly clientId?: string;
}

/** The given number of processes on two machines; each machine is a process group with its own home directory. */
export async function startFleet({
  url,
  port,
  size,
  leaseMs = 10_000,
  clientId,
}: FleetOptions): Promise<Fleet> {
  const key = randomBytes(32).toString('base64url');
  const homes = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'store-redis-machine-'))));
  const news = new EventEmitter();
  const started = Array.from({ length: size }, (_, n) => {
    const client = n % 2 === 0 ? 'redis' : 'ioredis';
    const argument = JSON.stringify({ url, port, key, leaseMs, clientId, client });
    const home = homes[n < size / 2 ? 0 : 1] ?? '';
    const child = spawn(process.execPath, [join(import.meta.dirname, 'replica.mjs'), argument], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home },
    });
    dieWithUs(child);
    return { child, ...replicaOf(child, news) };
  });
  try {
    await Promise.all(started.map(({ ready }) => ready));
  } catch (error) {
    await end(started, homes);
    throw error;
  }
  return {
    replicas: started.map(({ replica }) => replica),
    async nextAsking() {
      const [replica] = await once(news, 'asking');
      return replica;
    },
    [Symbol.asyncDispose]: () => end(started, homes),
  };
}

function replicaOf(child: ChildProcess, news: EventEmitter) {
  const answers: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  const answer = (): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const take = (line: string): void => {
        if (line === '') reject(new Error('the replica has ended'));
        else resolve(JSON.parse(line));
      };
      const line = answers.shift();
      if (line === undefined) waiting.push(take);
      else take(line);
    });
  const replica: Replica = {
    ask(command, argument) {
      child.stdin?.write(`${command} ${argument}\n`);
      return answer();
    },
    signal: (name) => void child.kill(name),
  };
  const heard = (line: string): void => {
    const next = waiting.shift();
    if (next === undefined) answers.push(line);
    else next(line);
  };
  createInterface({ input: child.stdout ?? process.stdin })
    .on('line', (line) => {
      if (line === 'asking') news.emit('asking', replica);
      else heard(line.slice('answer '.length));
    })
    .on('close', () => heard(''));
  return { replica, ready: answer() };
}

async function end(
  started: readonly { readonly child: ChildProcess }[],
  homes: readonly string[],
): Promise<void> {
  await Promise.all(
    started.map(async ({ child }) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }),
  );
  await Promise.all(homes.map((home) => rm(home, { recursive: true, force: true })));
}
