import { FittingsError, isRecord, TransportError } from '@mcp-fittings/client-core/transport';
import { createLifetime, sleepWithin, type Lifetime } from '@mcp-fittings/remote-policy';
import { watchSilence, type SilenceWatch } from '@mcp-fittings/http-client';
import { allowsBatches, streamHeaders } from '../headers.js';
import type { HttpConnection } from '../http-connection.js';
import { unusableSink } from '../reply.js';
import { createCursor, EventSink } from './event-sink.js';
import { createReconnects } from './reconnects.js';

/**
 * `off`: not requested. `opening`: requested, or waiting to try again. `open`: the server sends events on it. `none`: the server does
 * not offer one, as the specification allows. `lost`: attempts are used up, until the server answers a message again.
 */
export type StandaloneState = 'off' | 'opening' | 'open' | 'none' | 'lost';

/** The GET stream on which a server sends messages that do not belong to a request, in revisions before 2026-07-28. */
export interface StandaloneStream {
  readonly state: StandaloneState;
  /** Opens the stream of a new session. Resolves when it is open or the first attempt has failed. */
  start(): Promise<void>;
  /** The server has answered a message, so a lost stream may be tried again, at most every `reconnect.maxMs`. */
  noticeLife(): void;
}

/** What the stream calls on its transport. */
export interface StandaloneOptions {
  /** The stream is open, for the first time or again. */
  readonly onOpen: () => void;
  /** The server has forgotten the session. Resolves when there is a new one, for which `start` was called. */
  readonly onSessionGone: () => Promise<void>;
}

const REVIVAL_MS = 30_000;

export function createStandaloneStream(
  options: StandaloneOptions,
  connection: HttpConnection,
): StandaloneStream {
  const { transport } = connection;
  const { clock, random, reconnect, silenceMs, maxMessageBytes } = connection.options;
  const reviveMs = reconnect.maxMs ?? REVIVAL_MS;
  let state: StandaloneState = 'off';
  let current: Lifetime | undefined;
  let follow: (() => Promise<void>) | undefined;
  let lostAt: number | undefined;
  let revivable = false;
  /** Whether it was open once, in this session or an earlier one, so that a failure may be temporary. */
  let hasWorked = false;

  /** Responses arrive in the replies to their requests only. */
  const onValue = (value: unknown): void => {
    if (Array.isArray(value) && allowsBatches(transport.protocolVersion)) {
      for (const element of value) if (!Array.isArray(element)) onValue(element);
    } else if (isRecord(value) && !('method' in value)) connection.reportForeign(value['id']);
    else transport.receive(value);
  };

  const is = (wanted: StandaloneState): boolean => state === wanted;

  const begin = (lifetime: Lifetime, decided: () => void): (() => Promise<void>) => {
    const cursor = createCursor();
    const reconnects = createReconnects(reconnect, random);

    const open = async (attempt: Lifetime, silence: SilenceWatch): Promise<unknown> => {
      let offered = true;
      let sink: EventSink | undefined;
      const reply = await connection.send({
        method: 'GET',
        fields: streamHeaders(transport.protocolVersion, cursor.lastEventId),
        session: 'current',
        safe: true,
        eventStream: true,
        lifetime: attempt,
        settle({ row }) {
          offered = row.meaning !== 'no-stream';
          return !offered;
        },
        accept(head) {
          if (head.contentType !== 'text/event-stream') return unusableSink(head, connection.redact);
          state = 'open';
          hasWorked = true;
          decided();
          options.onOpen();
          sink = new EventSink({
            cursor,
            onValue,
            onMalformed: () => connection.reportMalformed(),
            onIgnored: () => connection.transport.markUnsolicited(),
            maxEventBytes: maxMessageBytes,
            redact: connection.redact,
            silence,
          });
          return sink;
        },
      });
      if (!offered) state = 'none';
      return sink?.reported ?? reply?.broken;
    };

    return async () => {
      for (;;) {
        state = 'opening';
        cursor.progressed = false;
        const openedAt = clock.now();
        let failure: unknown;
        const attempt = createLifetime(lifetime);
        const watch = watchSilence(clock, silenceMs, () => attempt.end());
        try {
          failure = await open(attempt, watch);
        } catch (error) {
          failure = error;
        } finally {
          watch[Symbol.dispose]();
        }
        const wasOpen = is('open');
        const silent = attempt.ended && !lifetime.ended;
        attempt.end();
        if (failure instanceof TransportError && failure.code === 'SESSION_LOST' && !lifetime.ended) {
          state = 'lost';
          // A new session has a stream of its own, and ends this one.
          failure = await options.onSessionGone().then(
            () => failure,
            (error: unknown) => error,
          );
        }
        decided();
        if (lifetime.ended || is('none')) return;
        // Half-open or only quiet: only opening it again can tell.
        if (silent && wasOpen) continue;
        const passing = failure === undefined || mayPass(failure, hasWorked);
        const ms = passing
          ? reconnects.next({
              progressed: cursor.progressed,
              openMs: wasOpen ? clock.now() - openedAt : 0,
              retryMs: cursor.retryMs,
              failure,
            })
          : undefined;
        revivable = passing;
        if (ms === undefined) return giveUp(failure);
        state = 'opening';
        await sleepWithin(lifetime, ms, clock);
        if (lifetime.ended) return;
      }
    };
  };

  const giveUp = (cause: unknown): void => {
    state = 'lost';
    const first = lostAt === undefined;
    lostAt = clock.now();
    if (!first) return;
    const opened = hasWorked ? 'reopened' : 'opened';
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
  };

  return {
    get state() {
      return state;
    },
    start() {
      current?.end();
      const lifetime = createLifetime(transport);
      current = lifetime;
      lostAt = undefined;
      return new Promise((resolve) => {
        follow = begin(lifetime, resolve);
        void follow();
      });
    },
    noticeLife() {
      if (state !== 'lost' || !revivable || lostAt === undefined || clock.now() - lostAt < reviveMs) return;
      void follow?.();
    },
  };
}

/** Whether a failure may be temporary. A stream that has worked before is retried whatever a gateway or resolver says. */
function mayPass(failure: unknown, hasWorked: boolean): boolean {
  if (!(failure instanceof FittingsError)) return false;
  return failure.retryable || (hasWorked && failure.kind !== 'auth' && failure.kind !== 'config');
}
