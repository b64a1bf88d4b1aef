import type { Readable } from 'node:stream';
import {
  type Clock,
  type ErrorCode,
  FittingsError,
  type FittingsErrorOptions,
  type JSONRPCMessage,
  type Transport,
  type TransportDescription,
  TransportError,
} from '@mcp-fittings/client-core';
import { BaseTransport, type Intake } from '@mcp-fittings/toolbox/base-transport';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { findProgram } from '@mcp-fittings/toolbox/programs';
import { type Redactor, sanitizeText } from '@mcp-fittings/toolbox/text';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { planLaunch, type LaunchPlan } from './launch-plan.js';
import type { StdioTransportOptions } from './options.js';
import { DiscoveryFallback, type SecondStart } from './discovery-fallback.js';
import { describeEnd, STDERR_LENGTH, STDERR_LINES, type ProcessEnd } from './process/process-exit.js';
import { startServerProcess, type ServerProcess } from './process/server-process.js';
import { checkPlan, explainSpawnError } from './process/spawn-failure.js';
import { StderrStream } from './process/stderr-stream.js';
import { createStderrTail, type StderrTail } from './process/stderr-tail.js';
import { answeredId } from './wire/answered-id.js';
import { contentLengthFraming } from './wire/content-length-framing.js';
import { describeNoise } from './wire/describe-noise.js';
import type { Framing, RejectedMessage } from './wire/framing.js';
import { MessageReader, type MessageSink } from './wire/message-reader.js';
import { newlineFraming } from './wire/newline-framing.js';
import { OutboundQueue } from './wire/outbound-queue.js';

/** A connection to a server that runs as a child process, as {@link createStdioTransport} returns it. */
export interface StdioTransport extends Transport {
  /** Process id of the server; null before it is started and after it has exited. */
  readonly pid: number | null;
  /**
   * With `stderr: 'pipe'` or `'overlapped'`, the stderr of the server as it is written, secrets included; otherwise null. It
   * exists before `start()` and ends with the connection. It never blocks the server: up to 1 MiB of unread output is kept,
   * then the oldest is dropped, and a line in the stream says so.
   */
  readonly stderr: Readable | null;
  /**
   * The last lines that the server wrote to stderr, at most 50 lines and 4000 characters, without secrets and control
   * characters. Empty if stderr does not pass through this process: `inherit`, `ignore`, a stream, a file descriptor.
   */
  readonly stderrTail: string;
  /** Returns `command`, `pid`, `exitCode`, `signal`, `stderr` and more, as far as they are known. Contains no secret. */
  describe(): TransportDescription;
}

const MIB = 1024 * 1024;
const DEFAULT_MAX_BYTES = 64 * MIB;
const DEFAULT_PROBE_TIMEOUT_MS = 5000;
const EXCERPT = 100;

/**
 * Creates a transport that starts an MCP server as a child process and talks to it over its standard streams. The process
 * lives as long as the connection: `close()` ends it and everything it started.
 *
 * `start()` rejects with `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE`, `CWD_INVALID`, `CONFIG_INVALID`, `SPAWN_FAILED` or
 * `ABORTED`. When the server exits, the reason is `PROCESS_EXITED`; when it closes a pipe, `CONNECTION_LOST`. `send()` also
 * rejects with `SEND_QUEUE_FULL`, `MESSAGE_UNSERIALIZABLE`, and, because of the response, `MESSAGE_TOO_LARGE` or
 * `MESSAGE_INVALID`.
 *
 * @example
 * ```ts
 * const transport = createStdioTransport({ command: 'node', args: ['server.js'], server: 'notes' });
 * await client.connect(transport);
 * console.log(transport.pid);
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  // A JavaScript caller may pass a string, or nothing at all.
  const command: unknown = Reflect.get(Object(options), 'command');
  if (typeof command !== 'string') {
    throw new FittingsError(
      'CONFIG_INVALID',
      'createStdioTransport() requires the option `command`, a string.',
      {
        hint: "Call it with an object, such as { command: 'node', args: ['server.js'] }.",
      },
    );
  }
  return new ChildProcessTransport(options);
}

class ChildProcessTransport extends BaseTransport implements StdioTransport {
  readonly #options: StdioTransportOptions;
  readonly #plan: LaunchPlan;
  readonly #clock: Clock;
  readonly #framing: Framing;
  readonly #stderr: StderrTail;
  readonly #stderrStream: StderrStream | undefined;
  /** Lines of stderr for the host; each is cleaned when it is delivered. */
  readonly #stderrLines: Intake<() => string>;
  readonly #fallback: DiscoveryFallback;
  #messages: Intake<string> | undefined;
  #queue: OutboundQueue;
  #process: ServerProcess | undefined;
  /** Kept for `describe()`, which is called after the end. */
  #lastPid: number | undefined;
  #end: ProcessEnd | undefined;
  #launching: Promise<void> | undefined;
  #stopping = false;
  /** Text that the server wrote to stdout before its first message, for the error if it exits then. */
  #noise: string | undefined;
  #hasAnswered = false;

  constructor(options: StdioTransportOptions) {
    super({ server: options.server, signal: options.signal });
    this.#options = options;
    this.#plan = planLaunch(options);
    this.#clock = options.clock ?? systemClock;
    this.#framing = options.framing === 'content-length' ? contentLengthFraming : newlineFraming;
    this.#queue = this.#newQueue();
    const onLine = this.#stderrListener();
    this.#stderrLines = this.intake((line) => {
      this.markUnsolicited();
      onLine?.(line());
    });
    this.#stderr = createStderrTail({
      redact: this.#plan.redact,
      ...(onLine !== undefined && { onLine: (line) => this.#stderrLines.push(line) }),
    });
    const { stderr } = options;
    this.#stderrStream = stderr === 'pipe' || stderr === 'overlapped' ? new StderrStream() : undefined;
    this.#fallback = new DiscoveryFallback({
      clock: this.#clock,
      timeoutMs: options.probeTimeoutMs ?? DEFAULT_PROBE_TIMEOUT_MS,
      onSilence: (answer) => this.receive(answer),
      ping: (request) =>
        void this.#queue.offer(this.#framing.frame(this.encode(request)))?.catch(() => undefined),
    });
  }

  get pid(): number | null {
    return this.#end?.kind === 'exited' ? null : (this.#process?.pid ?? null);
  }

  get stderr(): Readable | null {
    return this.#stderrStream?.readable ?? null;
  }

  get stderrTail(): string {
    return this.#stderr.lastLines(STDERR_LINES, STDERR_LENGTH);
  }

  describe(): TransportDescription {
    const exit = this.#end?.kind === 'exited' ? this.#end : undefined;
    return {
      command: this.#plan.command,
      pid: this.#lastPid,
      exitCode: exit?.exitCode ?? undefined,
      signal: exit?.signal ?? undefined,
      ignoredLines: this.ignored['MESSAGE_INVALID'] ?? 0,
      stderr: this.stderrTail,
      // For the hint of a server that does not connect.
      withheld: this.#plan.withheld.length === 0 ? undefined : this.#plan.withheld.join(', '),
    };
  }

  protected override get redact(): Redactor {
    return this.#plan.redact;
  }

  protected override async open(): Promise<void> {
    this.#launching = this.#launch();
    await this.#launching;
  }

  protected override write(message: JSONRPCMessage): Promise<void> | undefined {
    const text = this.#framing.frame(this.encode(message));
    const id = isRequest(message) ? message.id : undefined;
    const taken = this.#queue.offer(text, id);
    if (taken === undefined) {
      throw this.#fault(
        'SEND_QUEUE_FULL',
        'The server does not read its stdin, and the queue of unsent messages is full.',
        {
          delivery: 'not-sent',
          hint: 'Send less at once, or raise `maxQueuedBytes`.',
        },
      );
    }
    this.#fallback.sent(message);
    if (this.#fallback.isUp) this.#process?.watchStdin();
    // What rejects `taken` has failed all requests before.
    return id === undefined ? taken : undefined;
  }

  protected override async shutDown(reason: TransportError | undefined): Promise<void> {
    this.#stopping = true;
    this.#fallback.stop();
    this.#queue.end((delivery) => this.lost(delivery));
    await this.#launching?.catch(() => undefined);
    const isGone = await this.#process?.stop({ polite: reason === undefined });
    if (isGone === false) this.report(this.#leftRunning());
    // Unread output cannot change how it ended.
    this.#end ??= this.#process?.exit;
    this.#process = undefined;
    this.#stderr.end();
    this.#stderrLines.flush();
    this.guard(() => this.#stderrStream?.end(), 'A listener of the stderr stream');
  }

  async #launch(): Promise<void> {
    const refusal = checkPlan(this.#plan);
    if (refusal !== undefined) throw this.#fault(refusal.code, refusal.message, refusal.options);
    const {
      maxBufferSize = DEFAULT_MAX_BYTES,
      maxMessageBytes = maxBufferSize,
      shutdown = {},
    } = this.#options;
    const reader = new MessageReader({
      framing: this.#framing,
      sink: this.#sink(),
      maxBytes: maxMessageBytes,
      found: (text) => messages.push(text),
    });
    const messages = this.intake<string>((text) => reader.parse(text));
    this.#messages = messages;
    const queue = this.#queue;
    let server: ServerProcess;
    try {
      const { platform } = process;
      const program = await findProgram({
        ...this.#plan,
        platform,
        systemRoot: process.env['SystemRoot'],
      });
      if ('code' in program) throw this.#fault(program.code, program.message, program.options);
      server = await startServerProcess({
        ...this.#plan,
        program,
        shutdown,
        clock: this.#clock,
        onStdout: (chunk, stream) => messages.read(stream, () => reader.push(chunk)),
        onStderr: (chunk, stream) =>
          this.#stderrLines.read(stream, () => {
            this.markUnsolicited();
            this.#stderr.append(chunk);
            this.guard(() => this.#stderrStream?.append(chunk), 'A listener of the stderr stream');
          }),
      });
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      throw await this.#spawnFault(cause);
    }
    this.#process = server;
    this.#lastPid = server.pid;
    this.#end = undefined;
    queue.attach(server.stdin);
    void server.ended.then((ending) => this.#onEnded(server, ending));
  }

  async #onEnded(server: ServerProcess, ending: ProcessEnd): Promise<void> {
    this.#end = ending;
    if (this.#stopping) return;
    this.#messages?.flush();
    this.#stderrLines.flush();
    this.#stderr.end();
    // A server that exits before the first message is written has read nothing either.
    const leftUnread = server.leftUnread || this.#queue.wasRefused;
    const again = this.#fallback.take({ leftUnread });
    if (again !== undefined) {
      this.#launching = this.#startAgain(server, again);
      await this.#launching;
    } else if (ending.kind === 'failed') {
      this.fail(await this.#spawnFault(ending.cause));
    } else {
      const { code, message, options } = describeEnd(
        ending,
        this.#plan.command,
        this.#stderr,
        this.#hasAnswered ? undefined : this.#noise,
      );
      this.fail(this.#fault(code, message, options));
    }
  }

  /** The server exited on `server/discover`; to the client it looks as if it had answered with an error. */
  async #startAgain(old: ServerProcess, { answers, replay }: SecondStart): Promise<void> {
    // The messages in the old queue are answered or sent again below.
    this.#queue = this.#newQueue();
    for (const message of replay) {
      void this.#queue.offer(this.#framing.frame(this.encode(message)), message.id);
    }
    await old.stop({ polite: false });
    if (this.#stopping) return;
    try {
      await this.#launch();
    } catch (cause) {
      return this.fail(this.asTransportError(cause, 'SPAWN_FAILED'));
    }
    for (const answer of answers) {
      if (answer.id !== undefined && this.isPending(answer.id)) this.receive(answer);
    }
  }

  #sink(): MessageSink {
    return {
      value: (value) => {
        this.#hasAnswered = true;
        if (!this.#fallback.received(value)) this.receive(value);
      },
      noise: (head) => this.#receiveNoise(head),
      rejected: (message) => this.#reject(message),
      broken: (code, problem) => this.fail(this.#fault(code, problem)),
    };
  }

  #receiveNoise(head: () => string): void {
    this.reportCounted('MESSAGE_INVALID', () => {
      const line = head().trim();
      const excerpt = sanitizeText(this.#plan.redact(line, 'end'), { maxLength: EXCERPT });
      const text = `The server wrote ${describeNoise(line, this.#options.framing ?? 'newline')}: "${excerpt}"`;
      this.#noise ??= text;
      return text;
    });
  }

  #reject({ code, problem, head, tail }: RejectedMessage): boolean {
    const id = answeredId(head, tail);
    if (id !== undefined && this.isPending(id)) {
      const hint =
        code === 'MESSAGE_TOO_LARGE' ? 'Request less data at once, or raise `maxMessageBytes`.' : undefined;
      return this.failRequest(id, this.#fault(code, problem, { delivery: 'unknown', hint }));
    }
    if (tail !== undefined) this.reportCounted(code, () => problem);
    return false;
  }

  #leftRunning(): TransportError {
    const pid = String(this.#lastPid);
    return this.#fault(
      'TIMEOUT',
      `The server (process ${pid}) or what it started could not be ended, and may still run.`,
      { hint: process.platform === 'win32' ? `Run: taskkill /PID ${pid} /T /F` : `Run: kill -9 -${pid}` },
    );
  }

  #newQueue(): OutboundQueue {
    return new OutboundQueue(this.#options.maxQueuedBytes ?? DEFAULT_MAX_BYTES, this);
  }

  #stderrListener(): ((line: string) => void) | undefined {
    const { stderr } = this.#options;
    if (typeof stderr !== 'function') return undefined;
    return (line) => this.guard(() => stderr(line), 'The `stderr` function');
  }

  async #spawnFault(cause: unknown): Promise<TransportError> {
    const failure = await explainSpawnError(cause, { ...this.#plan, platform: process.platform });
    return this.#fault(failure.code, failure.message, failure.options);
  }

  /** An error that names the server in its text, and the command in its details. */
  #fault(code: ErrorCode, message: string, options: FittingsErrorOptions = {}): TransportError {
    const name =
      this.server === undefined ? '' : `Server "${sanitizeText(this.server, { maxLength: 100 })}": `;
    const details = { command: this.#plan.command, ...options.details };
    return this.error(code, name + message, { ...options, details });
  }
}
