import type { Stream } from 'node:stream';
import type { Clock } from '@mcp-fittings/client-core';

/** Options of {@link createStdioTransport}. */
export interface StdioTransportOptions {
  /**
   * The program to run, as a path or as a name to find on the PATH of the child; empty and relative parts of a PATH are not
   * searched. A relative path is resolved against `cwd`. It is not a shell command line: put arguments into `args`.
   */
  readonly command: string;
  /** Arguments of the program; each is passed on unchanged. Default none. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables of the child. They override inherited ones; their values never appear in errors or logs. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Environment variables of this process that the child inherits: those that programs need to run and to reach the network
   * (`safe`), `all`, or the safe ones and these names. Default `safe`.
   */
  readonly inheritEnv?: 'safe' | 'all' | readonly string[] | undefined;
  /**
   * Environment that `inheritEnv` selects from, if the child belongs to another process, or if this one was started from a desktop
   * (`desktopEnvironment()` of `@mcp-fittings/transport-stdio/desktop`). Default: that of this process.
   */
  readonly parentEnv?: Readonly<Record<string, string>> | undefined;
  /**
   * Working directory of the child. Default: that of this process, which may be a folder with files from a stranger: set it
   * when the command is `npx`, `uvx` or the like. `loadConfig` of `@mcp-fittings/config` sets it in each entry of a file.
   */
  readonly cwd?: string | undefined;
  /**
   * Delimits messages on the pipes: `newline`, one a line, or `content-length`, a header before each message as in LSP.
   * Default `newline`, as the MCP specification requires.
   */
  readonly framing?: 'newline' | 'content-length' | undefined;
  /**
   * Target of the stderr of the server. Default `capture`.
   *
   * - `capture`: it is not shown; its last lines are kept for errors and `stderrTail`.
   * - `pipe`, or `overlapped` (a named pipe in overlapped mode on Windows, elsewhere the same): to the stream
   *   `transport.stderr`, byte for byte, secrets included. The last lines are kept too.
   * - a function: it is called with each line, without control characters and secrets. The last lines are kept too.
   * - `inherit`: to the stderr of this process; a file descriptor, or a stream that has one (a socket, an open
   *   `fs.WriteStream`): to that. The server writes to it directly, so errors cannot quote it.
   * - `ignore`: it is discarded.
   */
  readonly stderr?:
    | 'capture'
    | 'pipe'
    | 'overlapped'
    | 'inherit'
    | 'ignore'
    | Stream
    | number
    | ((line: string) => void)
    | undefined;
  /**
   * Largest message that is accepted from the server, in bytes. A larger one fails its request with `MESSAGE_TOO_LARGE`; the
   * connection stays open. Default 64 MiB.
   */
  readonly maxMessageBytes?: number | undefined;
  /** The name of `maxMessageBytes` in the official SDKs. `maxMessageBytes` takes precedence. */
  readonly maxBufferSize?: number | undefined;
  /** Bytes that may wait for the server to read them. Beyond it, `send()` rejects with `SEND_QUEUE_FULL`. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Time that each step of the shutdown waits before the next one, in milliseconds. */
  readonly shutdown?:
    | {
        /** Time after the server's stdin is closed, before SIGTERM. Default 2000. */
        readonly afterStdinEndMs?: number | undefined;
        /** Time after SIGTERM, before SIGKILL. Default 2000. */
        readonly afterSigtermMs?: number | undefined;
        /** Time after SIGKILL, before `close()` stops waiting for a process that hangs in the kernel. Default 1000. */
        readonly afterSigkillMs?: number | undefined;
      }
    | undefined;
  /**
   * Milliseconds after which a server that does not answer an opening `server/discover` is sent a `ping`. A server that
   * answers the ping but not the discovery counts as one of the `initialize` era; a server that is still starting is waited
   * for. 0 leaves the time-out to the client. Default 5000.
   */
  readonly probeTimeoutMs?: number | undefined;
  /** Further texts, such as a password in `args`, that must not appear in errors or logs. Default none. */
  readonly secrets?: readonly string[] | undefined;
  /** Name of the server; error messages begin with it, and every error has it as `server`. Default none. */
  readonly server?: string | undefined;
  /** Closes the connection when it is aborted; `closeReason` is then `ABORTED`, and `start()` rejects with it. */
  readonly signal?: AbortSignal | undefined;
  /** Clock that all time-outs are measured with. Default: the system clock. */
  readonly clock?: Clock | undefined;
}
