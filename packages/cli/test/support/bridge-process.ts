import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { installedPackages } from '../../../../scripts/installed.mjs';

/** `fittings`, as it is published. */
export const BIN = join(await installedPackages(), 'node_modules/@mcp-fittings/cli/program/bin.js');

/** Arguments for one configured server and no other. */
export const withServer = (name: string, config: unknown): readonly string[] => [
  '--mcp-config',
  JSON.stringify({ mcpServers: { [name]: config } }),
  '--strict-mcp-config',
];

/** The environment of a `fittings` that a test starts: no user is there to sign in. */
export const environment = (home: string, more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  CI: 'true',
  ...more,
});

export interface BridgeProcess {
  readonly child: ChildProcessWithoutNullStreams;
  send(message: unknown): void;
  /** The next message that `accepts` says yes to; earlier ones are passed over. */
  next(accepts: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Everything that came on stdout, line by line. */
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly exited: Promise<number | null>;
}

export function startBridge(
  args: readonly string[],
  home: string,
  env: Record<string, string> = {},
): BridgeProcess {
  const child = spawn(process.execPath, [BIN, ...args], { env: environment(home, env), cwd: home });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    rest += chunk.toString();
    const complete = rest.split('\n');
    rest = complete.pop() ?? '';
    lines.push(...complete);
    for (const look of waiting) look();
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => undefined);
  let seen = 0;
  return {
    child,
    lines,
    get stderr() {
      return stderr;
    },
    exited: once(child, 'close').then(([code]: (number | null)[]) => code ?? null),
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next: (accepts) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          while (seen < lines.length) {
            const message = JSON.parse(lines[seen++] ?? '') as Record<string, unknown>;
            if (!accepts(message)) continue;
            waiting.delete(look);
            resolve(message);
            return;
          }
        };
        child.once('close', () => reject(new Error(`The bridge ended.\n${stderr}`)));
        waiting.add(look);
        look();
      }),
  };
}
