import { spawn } from 'node:child_process';
import { type AuthProvider, type Clock, FittingsError } from '@mcp-fittings/client-core';
import { checkHeaders } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { findProgram, withSafeSearch } from '@mcp-fittings/toolbox/programs';
import { systemClock } from '@mcp-fittings/toolbox/timing';

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT = 64 * 1024;

/**
 * Creates a provider that signs requests with the headers that a program prints, for example the token helper of a company.
 * The program runs at the first request, once for all concurrent requests, and again when the server refuses its headers.
 * Its output is never logged or shown.
 *
 * Its methods reject with `AUTH_FAILED` if the program fails, `CONFIG_INVALID` for an invalid header, and `AUTH_REJECTED`
 * if the server refuses the headers and the program prints the same ones again.
 * @example
 * ```ts
 * const provider = createHeadersCommandProvider({
 *   url: 'https://mcp.example.com/mcp',
 *   command: '/usr/local/bin/company-token', // prints {"authorization":"Bearer …"}
 *   args: ['--audience', 'mcp'],
 * });
 * ```
 */
export function createHeadersCommandProvider(options: {
  /**
   * The program, which prints a JSON object of header names and values: a path, or a name to find on the PATH, of which empty and
   * relative parts are not searched. It is started without a shell.
   */
  readonly command: string;
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Variables besides the environment of this process, `MCP_SERVER_URL` and `MCP_SERVER_NAME`. Default: none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Working directory of the program. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** URL of the MCP server. The headers are sent to its origin only. */
  readonly url: string | URL;
  /** Name of the server, for messages and `MCP_SERVER_NAME`. Default: the host of `url`. */
  readonly server?: string | undefined;
  /** Milliseconds that the program may run. Default 10 000. */
  readonly timeoutMs?: number | undefined;
  /** Time source of `timeoutMs`. Default: the system clock. */
  readonly clock?: Clock | undefined;
}): AuthProvider {
  const { origin, host } = new URL(options.url);
  const server = options.server ?? host;
  /** The latest output of the program, or the one that is awaited; undefined if it has failed. */
  let held: Promise<Readonly<Record<string, string>>> | undefined;
  let isRunning = false;

  const run = (): Promise<Readonly<Record<string, string>>> => {
    if (held !== undefined && isRunning) return held;
    const read = async (): Promise<Readonly<Record<string, string>>> => {
      isRunning = true;
      try {
        return await readHeaders(options, server);
      } catch (error) {
        held = undefined;
        throw error;
      } finally {
        isRunning = false;
      }
    };
    held = read();
    return held;
  };

  return {
    async headers({ url }) {
      if (url.origin !== origin) return {};
      return held ?? run();
    },
    async onChallenge({ refused, signed }) {
      const before = await held?.catch(() => undefined);
      const sent = signed ?? { ...before, ...(refused !== undefined && { authorization: refused }) };
      // Another request was refused as well, and has already replaced the headers.
      if (Object.entries(before ?? {}).some(([name, value]) => sent[name] !== value)) return 'retry';
      const after = await run();
      if (JSON.stringify(after) !== JSON.stringify(before)) return 'retry';
      throw new FittingsError(
        'AUTH_REJECTED',
        `"${server}" refuses the headers that the command "${options.command}" prints.`,
        {
          server,
          delivery: 'rejected',
          hint: 'Run the command manually, and check whether its credentials are still valid.',
        },
      );
    },
  };
}

async function readHeaders(
  options: Parameters<typeof createHeadersCommandProvider>[0],
  server: string,
): Promise<Readonly<Record<string, string>>> {
  const text = await output(options, server);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without the cause, which quotes the output.
    throw failed(server, options.command, 'did not print JSON');
  }
  if (!isRecord(value)) throw failed(server, options.command, 'did not print a JSON object');
  const headers: Record<string, string> = {};
  for (const [name, each] of Object.entries(value)) {
    if (typeof each !== 'string')
      throw failed(server, options.command, 'printed a header whose value is not a string');
    headers[name.toLowerCase()] = each;
  }
  return checkHeaders(headers, { server });
}

async function output(
  options: Parameters<typeof createHeadersCommandProvider>[0],
  server: string,
): Promise<string> {
  const { command, args = [], cwd, url, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const { platform } = process;
  const own = { ...options.env, MCP_SERVER_URL: new URL(url).href, MCP_SERVER_NAME: server };
  const env = withSafeSearch({ ...process.env, ...own }, platform);
  const program = await findProgram({ command, args, cwd, env, platform }).catch((cause: unknown) => {
    throw failed(server, command, 'could not be started', cause);
  });
  if ('code' in program) throw failed(server, command, 'cannot be started with these arguments');
  return new Promise((resolve, reject) => {
    const child = spawn(program.file, program.args, {
      shell: false,
      windowsHide: true,
      windowsVerbatimArguments: program.verbatim,
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd,
      env,
    });
    const fail = (why: string, cause?: unknown): void => {
      child.kill('SIGKILL');
      reject(failed(server, command, why, cause));
    };
    const timer = clock.schedule(() => fail(`did not exit within ${timeoutMs} ms`), timeoutMs);
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) fail(`printed more than ${MAX_OUTPUT} bytes`);
      else chunks.push(chunk);
    });
    child.once('error', (cause) => {
      timer[Symbol.dispose]();
      fail('could not be started', cause);
    });
    child.once('close', (code) => {
      timer[Symbol.dispose]();
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else fail(`exited with code ${code}`);
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
