import { spawn } from 'node:child_process';
import {
  FittingsError,
  isRecord,
  systemClock,
  type AuthProvider,
  type Clock,
} from '@mcp-fittings/client-core/auth';
import { checkHeaders } from '@mcp-fittings/http-client';

export interface HeadersCommandOptions {
  /** Program that prints a JSON object of headers; started without a shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the environment of this process. It also gets `MCP_SERVER_URL` and `MCP_SERVER_NAME`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** URL of the MCP server: the headers are sent to its origin and to no other. */
  readonly url: string | URL;
  /** Name of the server, for messages. */
  readonly server?: string | undefined;
  /** How long it may take, milliseconds. Default 10 000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT = 64 * 1024;

/**
 * Signs requests with what a program prints, e.g. a company's token helper. It is run at the first request, once for all
 * that wait, and again when the server refuses what it printed. Rejects with `AUTH_FAILED` when it fails, and with
 * `AUTH_REJECTED` when what it prints is refused and does not change. Nothing that it prints is shown to anybody.
 */
export function createHeadersCommandProvider(options: HeadersCommandOptions): AuthProvider {
  const { origin, host } = new URL(options.url);
  const server = options.server ?? host;
  let held: Promise<Readonly<Record<string, string>>> | undefined;
  let running = false;

  const run = (): Promise<Readonly<Record<string, string>>> => {
    if (held !== undefined && running) return held;
    running = true;
    held = readHeaders(options, server).finally(() => {
      running = false;
    });
    return held;
  };

  return {
    async headers({ url }) {
      if (url.origin !== origin) return {};
      const current = held ?? run();
      return current.catch((error: unknown) => {
        // The next request tries again.
        if (held === current) held = undefined;
        throw error;
      });
    },
    async onChallenge({ refused }) {
      const before = await held?.catch(() => undefined);
      // Somebody else was refused as well, and was faster.
      if (before !== undefined && refused !== undefined && before['authorization'] !== refused)
        return 'retry';
      const after = await run();
      if (JSON.stringify(after) !== JSON.stringify(before)) return 'retry';
      throw new FittingsError('AUTH_REJECTED', `"${server}" refuses what "${options.command}" prints.`, {
        server,
        delivery: 'rejected',
        hint: 'Run the command by hand, and see whether it is still allowed to give out credentials.',
      });
    },
  };
}

async function readHeaders(
  options: HeadersCommandOptions,
  server: string,
): Promise<Readonly<Record<string, string>>> {
  const text = await output(options, server);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without the cause: it quotes what was printed.
    throw failed(server, options.command, 'did not print JSON');
  }
  if (!isRecord(value)) throw failed(server, options.command, 'did not print a JSON object');
  const headers: Record<string, string> = {};
  for (const [name, each] of Object.entries(value)) {
    if (typeof each !== 'string') throw failed(server, options.command, 'printed a header that is no text');
    headers[name.toLowerCase()] = each;
  }
  return checkHeaders(headers, { server });
}

function output(options: HeadersCommandOptions, server: string): Promise<string> {
  const { command, args = [], env, cwd, url, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      shell: false,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd,
      env: { ...process.env, ...env, MCP_SERVER_URL: new URL(url).href, MCP_SERVER_NAME: server },
    });
    const fail = (why: string, cause?: unknown): void => {
      child.kill('SIGKILL');
      reject(failed(server, command, why, cause));
    };
    const timer = clock.schedule(() => fail(`did not end within ${timeoutMs} ms`), timeoutMs);
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) fail('printed too much');
      else chunks.push(chunk);
    });
    child.once('error', (cause) => {
      timer[Symbol.dispose]();
      fail('can not be started', cause);
    });
    child.once('close', (code) => {
      timer[Symbol.dispose]();
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else fail(`ended with ${code}`);
    });
  });
}

function failed(server: string, command: string, why: string, cause?: unknown): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `The command "${command}", which signs requests to "${server}", ${why}.`,
    {
      server,
      cause,
    },
  );
}
