import { serveShared } from '@mcp-fittings/transport-shared/server';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';

export interface ServeSharedOptions {
  /** True: the folder that programs look in by default. */
  readonly socket?: string | true;
  /** Time without a program after which it ends, in milliseconds. */
  readonly idle?: number;
}

/** Limits how long calls in flight may take when the process is asked to end, in milliseconds. */
const DRAIN_MS = 10_000;

/** Serves until it is idle or the user stops it. Fails if another process serves already. */
export async function serveSharedProcess(
  deps: CommandDeps,
  { socket, idle }: ServeSharedOptions,
): Promise<void> {
  const { output, signal, clock } = deps;
  const log = (message: string, fields: object = {}): void =>
    output.note(
      printable(
        [message, ...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`)].join(' '),
      ),
    );
  const serving = await serveShared({
    ...(typeof socket === 'string' && { folder: socket }),
    ...(idle !== undefined && { idleMs: idle }),
    log: true,
    logger: { debug: () => undefined, info: log, warn: log, error: log },
    clock,
  });
  if (serving === undefined) {
    throw new CommandError('CONFIG_INVALID', 'Another process serves at this socket already.', {
      hint: 'Use it: fittings call --shared',
    });
  }
  output.event({ socket: serving.path }, () => `Serving local servers at ${printable(serving.path)}`);
  const stop = (): void => void serving.drain(DRAIN_MS);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await serving.ended;
}
