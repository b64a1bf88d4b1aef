import type { Stream } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core/transport';
import type { InheritEnv } from './process/environment.js';
import type { ShutdownTimes } from './process/shutdown-ladder.js';
import type { FramingName } from './wire/framings.js';

/**
 * Where the server's stderr goes.
 *
 * - `capture`: nowhere; its last lines are kept for errors and `stderrTail`.
 * - `pipe`, or `overlapped` (a named pipe in overlapped mode on Windows, elsewhere the same): into the stream
 *   `transport.stderr`, byte for byte, secrets included. The last lines are kept too.
 * - a function: it gets each line, without control characters and secrets. The last lines are kept too.
 * - `inherit`: to the stderr of this process; a file descriptor or a stream that has one (a socket, an open
 *   `fs.WriteStream`): there. The server writes to it by itself, so that errors cannot quote it.
 * - `ignore`: it is thrown away.
 */
export type StderrTarget =
  'capture' | 'pipe' | 'overlapped' | 'inherit' | 'ignore' | Stream | number | ((line: string) => void);

export interface StdioTransportOptions {
  /**
   * The program, by path or as found on the PATH that the child gets; empty and relative parts of a PATH are not
   * searched. A relative path is resolved against `cwd`. Never a shell command line.
   */
  readonly command: string;
  /** Its arguments; each reaches the program unchanged. Default none. */
  readonly args?: readonly string[] | undefined;
  /** Variables that the child gets besides the inherited ones; they win. Their values never show in errors or logs. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Which variables of this process the child gets: those that programs need to run at all (`safe`), `all`, or the
   * safe ones and these names. Default `safe`.
   */
  readonly inheritEnv?: InheritEnv | undefined;
  /**
   * Working directory of the child. Default: that of this process, which may be a folder that a stranger has filled: give
   * one where the command is `npx`, `uvx` or the like. The `stdio()` plugin starts servers in the person's home instead.
   */
  readonly cwd?: string | undefined;
  /** How messages are told apart on the pipes. Default `newline`, as the MCP specification has it. */
  readonly framing?: FramingName | undefined;
  /** Where the server's stderr goes. Default `capture`. */
  readonly stderr?: StderrTarget | undefined;
  /** A larger message from the server, in bytes, is refused; the connection lives on. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** The name that the official SDKs give to `maxMessageBytes`, which wins over it. */
  readonly maxBufferSize?: number | undefined;
  /** While more bytes than this wait for the server to read, `send` fails. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** How long each step of the shutdown may take. */
  readonly shutdown?: ShutdownTimes | undefined;
  /**
   * Milliseconds until a server that stays silent on an opening `server/discover` is asked whether it is up (`ping`). One
   * that answers that, and not the first question, counts as one of the `initialize` era; one that is still starting is
   * waited for. 0 leaves that to the client. Default 5000.
   */
  readonly probeTimeoutMs?: number | undefined;
  /** Further texts, such as a password in `args`, that must not show in errors or logs. */
  readonly secrets?: readonly string[] | undefined;
  /** Name of the server, for error messages. */
  readonly server?: string | undefined;
  /** Aborting it closes the transport. */
  readonly signal?: AbortSignal | undefined;
  /** Source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}
