import type { Readable } from 'node:stream';
import {
  BaseTransport,
  FittingsError,
  isRequest,
  sanitizeText,
  systemClock,
  TransportError,
  type Clock,
  type ErrorCode,
  type FittingsErrorOptions,
  type Intake,
  type JSONRPCMessage,
  type Transport,
  type TransportDescription,
} from '@mcp-fittings/client-core/transport';
import { endReason, STDERR_LENGTH, STDERR_LINES } from './end-reason.js';
import { planLaunch, type LaunchPlan } from './launch-plan.js';
import type { StdioTransportOptions } from './options.js';
import { createProbeShield, type ProbeShield, type SecondStart } from './probe-shield.js';
import type { Ending } from './process/ending.js';
import { createExitReaper, type ExitReaper } from './process/exit-reaper.js';
import { findProgram } from './process/program.js';
import type { PacedReader } from './process/read-paced.js';
import { startServerProcess, type ServerProcess } from './process/server-process.js';
import { explainSpawnError, invalidText } from './process/spawn-failure.js';
import { createStderrStream, type StderrStream } from './process/stderr-stream.js';
import { createStderrTail, type StderrTail } from './process/stderr-tail.js';
import { problemOfStderr } from './process/stderr-target.js';
import { answeredId } from './wire/answered-id.js';
import type { Framing, Refusal } from './wire/framing.js';
import { FRAMINGS } from './wire/framings.js';
import { createMessageReader, type MessageSink } from './wire/message-reader.js';
import { createOutboundQueue, type OutboundQueue } from './wire/outbound-queue.js';

/** A connection to a server that this process started. */
export interface StdioTransport extends Transport {
  /** Process id of the server; null before it is started and after it has exited. */
  readonly pid: number | null;
  /**
   * With `stderr: 'pipe'` or `'overlapped'` what the server writes on stderr, as it writes it, secrets included; otherwise
   * null. It is there before `start()` and ends with the connection. It never holds up the server: output that is not
   * read waits, up to 1 MiB, then the oldest is dropped, and a line in the stream says so.
   */
  readonly stderr: Readable | null;
  /**
   * The last lines that the server wrote on stderr, at most 50 and 4000 characters, without secrets and control
   * characters. Empty where stderr does not pass through this process: `inherit`, `ignore`, a stream, a file descriptor.
   */
  readonly stderrTail: string;
  describe(): TransportDescription;
}

const MIB = 1024 * 1024;
const DEFAULT_MAX_BYTES = 64 * MIB;
const DEFAULT_PROBE_TIMEOUT_MS = 5000;
const EXCERPT = 100;

/**
 * Makes a transport that starts an MCP server as a child process and speaks to it over its standard streams. The
 * process lives as long as the connection: `close()` ends it and all that it started.
 *
 * `start()` rejects with `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE`, `CWD_INVALID`, `CONFIG_INVALID`,
 * `SPAWN_FAILED`, or `ABORTED`. A server that ends gives `PROCESS_EXITED`, one that closes a pipe `CONNECTION_LOST`.
 * `send()` also rejects with `SEND_QUEUE_FULL`, `MESSAGE_UNSERIALIZABLE`, `MESSAGE_TOO_LARGE` and `MESSAGE_INVALID`
 * (of the answer).
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  // JavaScript passes anything: a text, or nothing at all.
  const command: unknown = Reflect.get(Object(options), 'command');
  if (typeof command !== 'string') {
    throw new FittingsError('CONFIG_INVALID', 'createStdioTransport() needs `command`, a text.', {
      hint: "Pass an object: createStdioTransport({ command: 'node', args: ['server.js'] }).",
    });
  }
  return createReapedTransport(options, createExitReaper());
}

/** The same, with a reaper that several transports share. */
export function createReapedTransport(options: StdioTransportOptions, reaper: ExitReaper): StdioTransport {
  return new ChildProcessTransport(options, reaper);
}

class ChildProcessTransport extends BaseTransport implements StdioTransport {
  readonly #options: StdioTransportOptions;
  readonly #plan: LaunchPlan;
  readonly #reaper: ExitReaper;
  readonly #clock: Clock;
  readonly #framing: Framing;
  readonly #stderr: StderrTail;
  readonly #stderrStream: StderrStream | undefined;
  /** Lines of stderr for the host; each is made when it is handed on. */
  readonly #stderrLines: Intake<() => string>;
  readonly #shield: ProbeShield;
  #messages: Intake<string> | undefined;
  #queue: OutboundQueue;
  #process: ServerProcess | undefined;
  /** Kept for `describe()`, which is asked after the end. */
  #lastPid: number | undefined;
  #ending: Ending | undefined;
  #launching: Promise<void> | undefined;
  #stopping = false;

  constructor(options: StdioTransportOptions, reaper: ExitReaper) {
    super({ server: options.server, signal: options.signal });
    this.#options = options;
    this.#plan = planLaunch(options);
    this.#reaper = reaper;
    this.#clock = options.clock ?? systemClock;
    this.#framing = FRAMINGS[options.framing ?? 'newline'];
    this.#queue = this.#newQueue();
    const onLine = this.#stderrListener();
    this.#stderrLines = this.intake((line) => {
      this.unasked();
      onLine?.(line());
    });
    this.#stderr = createStderrTail({
      redact: this.#plan.redact,
      ...(onLine !== undefined && { onLine: (line) => this.#stderrLines.push(line) }),
    });
    const { stderr } = options;
    this.#stderrStream = stderr === 'pipe' || stderr === 'overlapped' ? createStderrStream() : undefined;
    this.#shield = createProbeShield({
      clock: this.#clock,
      timeoutMs: options.probeTimeoutMs ?? DEFAULT_PROBE_TIMEOUT_MS,
      onSilence: (answer) => this.receive(answer),
      askLife: (ping) =>
        void this.#queue.offer(this.#framing.frame(this.encode(ping)))?.catch(() => undefined),
    });
  }

  get pid(): number | null {
    return this.#ending?.kind === 'exited' ? null : (this.#process?.pid ?? null);
  }

  get stderr(): Readable | null {
    return this.#stderrStream?.readable ?? null;
  }

  get stderrTail(): string {
    return this.#stderr.lastLines(STDERR_LINES, STDERR_LENGTH);
  }

  describe(): TransportDescription {
    const exit = this.#ending?.kind === 'exited' ? this.#ending : undefined;
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

  protected override async open(): Promise<void> {
    this.#launching = this.#launch();
    await this.#launching;
  }

  protected override write(message: JSONRPCMessage): Promise<void> | undefined {
    const text = this.#framing.frame(this.encode(message));
    const id = isRequest(message) ? message.id : undefined;
    const taken = this.#queue.offer(text, id);
    if (taken === undefined) {
      throw this.#fault('SEND_QUEUE_FULL', 'The server does not read what it is sent.', {
        delivery: 'not-sent',
        hint: 'Wait for `send()` to settle before sending more, or raise `maxQueuedBytes`.',
      });
    }
    this.#shield.sent(message);
    if (this.#shield.isUp) this.#process?.watchStdin();
    // Whatever rejects `taken` has failed all requests before.
    return id === undefined ? taken : undefined;
  }

  protected override async shutDown(reason: TransportError | undefined): Promise<void> {
    this.#stopping = true;
    this.#shield.stop();
    this.#queue.end((delivery) => this.lost(delivery));
    await this.#launching?.catch(() => undefined);
    await this.#process?.stop({ polite: reason === undefined });
    // Nothing that is left to read could change how it ended.
    this.#ending ??= this.#process?.exit;
    this.#process = undefined;
    this.#stderr.end();
    this.#stderrLines.flush();
    this.guard(() => this.#stderrStream?.end(), 'A listener of stderr');
  }

  async #launch(): Promise<void> {
    const problem = invalidText(this.#plan);
    if (problem !== undefined) throw this.#fault('CONFIG_INVALID', problem);
    const stderrProblem = problemOfStderr(this.#plan.stderr);
    if (stderrProblem !== undefined)
      throw this.#fault('CONFIG_INVALID', stderrProblem.message, { hint: stderrProblem.hint });
    const {
      maxBufferSize = DEFAULT_MAX_BYTES,
      maxMessageBytes = maxBufferSize,
      shutdown = {},
    } = this.#options;
    const reader = createMessageReader({
      framing: this.#framing,
      sink: this.#sink(),
      maxBytes: maxMessageBytes,
      found: (text) => messages.push(text),
    });
    const messages = this.intake<string>((text) => reader.parse(text), parsingMs);
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
        reaper: this.#reaper,
        stdoutReader: paced(messages, (chunk) => reader.push(chunk)),
        stderrReader: paced(this.#stderrLines, (chunk) => {
          this.unasked();
          this.#stderr.append(chunk);
          this.guard(() => this.#stderrStream?.append(chunk), 'A listener of stderr');
        }),
      });
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      throw await this.#spawnFault(cause);
    }
    this.#process = server;
    this.#lastPid = server.pid;
    this.#ending = undefined;
    queue.attach(server.stdin);
    void server.ended.then((ending) => this.#onEnded(server, ending));
  }

  async #onEnded(server: ServerProcess, ending: Ending): Promise<void> {
    this.#ending = ending;
    if (this.#stopping) return;
    this.#messages?.flush();
    this.#stderrLines.flush();
    this.#stderr.end();
    // A server that is gone before the first message is written has read nothing either.
    const leftUnread = server.leftUnread || this.#queue.wasRefused;
    const again = this.#shield.take({ leftUnread });
    if (again !== undefined) {
      this.#launching = this.#startAgain(server, again);
      await this.#launching;
    } else if (ending.kind === 'failed') {
      this.fail(await this.#spawnFault(ending.cause));
    } else {
      const { code, message, options } = endReason(ending, this.#plan.command, this.#stderr);
      this.fail(this.#fault(code, message, options));
    }
  }

  /** The server did not survive the probe; to the client it looks as if it had answered. */
  async #startAgain(old: ServerProcess, { answers, replay }: SecondStart): Promise<void> {
    // What waits in the old queue is answered or sent again below.
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
        if (!this.#shield.received(value)) this.receive(value);
      },
      noise: (head) => this.#receiveNoise(head),
      refused: (refusal) => this.#refuse(refusal),
      broken: (code, problem) => this.fail(this.#fault(code, problem)),
    };
  }

  #receiveNoise(head: () => string): void {
    this.reportCounted('MESSAGE_INVALID', () => {
      const excerpt = sanitizeText(this.#plan.redact(head(), 'end'), { maxLength: EXCERPT });
      return `The server wrote something on stdout that is no message: "${excerpt}"`;
    });
  }

  #refuse({ code, problem, head, tail }: Refusal): boolean {
    const id = answeredId(head, tail);
    if (id !== undefined && this.isPending(id)) {
      const hint =
        code === 'MESSAGE_TOO_LARGE' ? 'Ask for less at once, or raise `maxMessageBytes`.' : undefined;
      return this.failRequest(id, this.#fault(code, problem, { delivery: 'unknown', hint }));
    }
    if (tail !== undefined) this.reportCounted(code, () => problem);
    return false;
  }

  #newQueue(): OutboundQueue {
    return createOutboundQueue(this.#options.maxQueuedBytes ?? DEFAULT_MAX_BYTES, this);
  }

  #stderrListener(): ((line: string) => void) | undefined {
    const { stderr } = this.#options;
    if (typeof stderr !== 'function') return undefined;
    return (line) => this.guard(() => stderr(line), 'A function for stderr');
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

/** Characters that `JSON.parse` and a handler deal with in a millisecond, about. */
const PARSED_PER_MS = 200_000;

function parsingMs(text: string): number {
  return text.length / PARSED_PER_MS;
}

function paced<T>(intake: Intake<T>, push: (chunk: Uint8Array) => void): PacedReader {
  return {
    push(chunk) {
      intake.work(() => push(chunk));
      return intake.busy;
    },
    whenReady: (task) => intake.whenReady(task),
  };
}
