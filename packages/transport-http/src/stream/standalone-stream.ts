import { FittingsError, TransportError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createLifetime, type Lifetime, sleepWithin } from '@mcp-fittings/toolbox/timing';
import type { ResponseHead } from '@mcp-fittings/http-client';
import { SilenceWatch } from '@mcp-fittings/http-client/events';
import { allowsBatches, streamHeaders } from '../headers.js';
import type { HttpConnection } from '../http-connection.js';
import { unusableSink } from '../reply.js';
import { createCursor, EventSink, type StreamCursor } from './event-sink.js';
import { Reconnects } from './reconnects.js';

/**
 * `off`: not requested. `opening`: requested, or waiting to try again. `open`: the server sends events on it. `none`: the server does
 * not offer one, as the specification allows. `lost`: attempts are used up, until the server answers a message again.
 */
type StandaloneState = 'off' | 'opening' | 'open' | 'none' | 'lost';

/** The stream of one session, over all connections that carry it. */
interface SessionStream {
  readonly lifetime: Lifetime;
  readonly cursor: StreamCursor;
  readonly reconnects: Reconnects;
  /** Called when it is open or the first attempt has failed. */
  readonly decided: () => void;
}

const REVIVAL_MS = 30_000;

/** The GET stream on which a server sends messages that do not belong to a request, in revisions before 2026-07-28. */
export class StandaloneStream {
  readonly #connection: HttpConnection;
  readonly #onOpen: () => void;
  #state: StandaloneState = 'off';
  #current: SessionStream | undefined;
  #lostAt: number | undefined;
  /** True if it was open once, in this session or an earlier one, so that a failure may be temporary. */
  #hasWorked = false;

  /** @param onOpen Called when the stream is open, for the first time or again. */
  constructor(connection: HttpConnection, onOpen: () => void) {
    this.#connection = connection;
    this.#onOpen = onOpen;
  }

  get state(): StandaloneState {
    return this.#state;
  }

  /** Opens the stream of a new session. Resolves when it is open or the first attempt has failed. */
  start(): Promise<void> {
    const { transport, options } = this.#connection;
    this.#current?.lifetime.end();
    this.#lostAt = undefined;
    return new Promise((decided) => {
      const stream = {
        lifetime: createLifetime(transport),
        cursor: createCursor(),
        reconnects: new Reconnects(options.reconnect, options.random),
        decided,
      };
      this.#current = stream;
      void this.#follow(stream);
    });
  }

  async #follow(stream: SessionStream): Promise<void> {
    const { lifetime, cursor, reconnects, decided } = stream;
    const { session, options } = this.#connection;
    const { clock, silenceMs } = options;
    this.#connection.onAccepted = undefined;
    for (;;) {
      this.#state = 'opening';
      cursor.progressed = false;
      const openedAt = clock.now();
      let failure: unknown;
      const attempt = createLifetime(lifetime);
      const silence = new SilenceWatch(clock, silenceMs, () => attempt.end());
      try {
        failure = await this.#open(stream, attempt, silence);
      } catch (error) {
        failure = error;
      } finally {
        silence[Symbol.dispose]();
      }
      const wasOpen = this.#is('open');
      const isSilent = attempt.ended && !lifetime.ended;
      attempt.end();
      if (failure instanceof TransportError && failure.code === 'SESSION_LOST' && !lifetime.ended) {
        this.#state = 'lost';
        // A new session has a stream of its own, and ends this one.
        failure = await session.restore(session.id).then(
          () => failure,
          (error: unknown) => error,
        );
      }
      decided();
      if (lifetime.ended || this.#is('none')) return;
      // Half-open or only quiet: only opening it again can tell.
      if (isSilent && wasOpen) continue;
      const mayHelp = failure === undefined || mayPass(failure, this.#hasWorked);
      const { progressed, retryMs } = cursor;
      const openMs = wasOpen ? clock.now() - openedAt : 0;
      const ms = mayHelp ? reconnects.next({ progressed, openMs, retryMs, failure }) : undefined;
      if (ms === undefined) return this.#giveUp(failure, mayHelp ? stream : undefined);
      this.#state = 'opening';
      await sleepWithin(lifetime, ms, clock);
      if (lifetime.ended) return;
    }
  }

  /** Opens the stream once. Resolves with the reason why it ended. */
  async #open(stream: SessionStream, attempt: Lifetime, silence: SilenceWatch): Promise<unknown> {
    const { cursor, decided } = stream;
    const connection = this.#connection;
    let isOffered = true;
    let sink: EventSink | undefined;
    const accept = (head: ResponseHead) => {
      if (head.contentType !== 'text/event-stream') return unusableSink(head, connection.redact);
      this.#state = 'open';
      this.#hasWorked = true;
      decided();
      this.#onOpen();
      sink = new EventSink(connection, { cursor, onValue: (value) => this.#receive(value), silence });
      return sink;
    };
    const reply = await connection.send({
      method: 'GET',
      fields: streamHeaders(connection.transport.protocolVersion, cursor.lastEventId),
      session: 'current',
      safe: true,
      eventStream: true,
      lifetime: attempt,
      settle({ row }) {
        isOffered = row.meaning !== 'no-stream';
        return !isOffered;
      },
      accept,
    });
    if (!isOffered) this.#state = 'none';
    return sink?.reported ?? reply?.broken;
  }

  /** Receives a value of the stream. Responses arrive in the replies to their requests only. */
  #receive(value: unknown): void {
    const { transport } = this.#connection;
    if (Array.isArray(value) && allowsBatches(transport.protocolVersion)) {
      for (const element of value) if (!Array.isArray(element)) this.#receive(element);
    } else if (isRecord(value) && !('method' in value)) this.#connection.reportForeign(value['id']);
    else transport.receive(value);
  }

  /** Compares the state, which changes while a function waits. */
  #is(state: StandaloneState): boolean {
    return this.#state === state;
  }

  /** Reports that the stream is lost. If it may be revived, it is tried again, at most every `reconnect.maxMs`, when a message works. */
  #giveUp(cause: unknown, revivable: SessionStream | undefined): void {
    const { transport, options } = this.#connection;
    const { clock, reconnect } = options;
    const isFirst = this.#lostAt === undefined;
    const lostAt = clock.now();
    this.#state = 'lost';
    this.#lostAt = lostAt;
    const revive = (stream: SessionStream): void => {
      if (clock.now() - lostAt >= (reconnect.maxMs ?? REVIVAL_MS)) void this.#follow(stream);
    };
    this.#connection.onAccepted = revivable && (() => revive(revivable));
    if (!isFirst) return;
    const opened = this.#hasWorked ? 'reopened' : 'opened';
    transport.report(
      new TransportError(
        'RECONNECT_EXHAUSTED',
        `The event stream of the server could not be ${opened}; its notifications are missed.`,
        {
          cause,
          hint: 'Requests still work. Reconnect, or reload what the server may have changed.',
        },
      ),
    );
  }
}

/** Returns whether a failure may be temporary. A stream that has worked before is retried whatever a gateway or resolver says. */
function mayPass(failure: unknown, hasWorked: boolean): boolean {
  if (!(failure instanceof FittingsError)) return false;
  return failure.retryable || (hasWorked && failure.kind !== 'auth' && failure.kind !== 'config');
}
