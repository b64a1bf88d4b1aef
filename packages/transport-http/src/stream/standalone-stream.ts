import { FittingsError, isRecord, TransportError } from '@mcp-fittings/client-core/transport';
import { createLifetime, sleepDuring, type Lifetime } from '@mcp-fittings/remote-policy';
import { watchSilence, type SilenceWatch } from '@mcp-fittings/http-client';
import { allowsBatches, streamHeaders } from '../headers.js';
import type { HttpWire } from '../http-wire.js';
import { unusableSink } from '../request/reply.js';
import { createCursor, EventSink } from './event-sink.js';
import { createReconnects } from './reconnects.js';

/**
 * `off`: not asked for. `opening`: on its way, or waiting to try again. `open`: the server holds it. `none`: the
 * server offers none, which is its right. `lost`: given up, until the server shows signs of life.
 */
export type StandaloneState = 'off' | 'opening' | 'open' | 'none' | 'lost';

/** The GET stream on which a server of the revisions before 2026-07-28 sends what belongs to no request. */
export interface StandaloneStream {
  readonly state: StandaloneState;
  /** For a new session: opens it from its beginning. Settles when it is open, or the first attempt has failed. */
  start(): Promise<void>;
  /** The server has just answered something: a stream that was given up may be tried again, now and then. */
  noticeLife(): void;
}

export interface StandaloneOptions {
  /** It is open, for the first time or again. */
  readonly onOpen: () => void;
  /** The server has forgotten the session. Settles when there is a new one, for which `start` was called. */
  readonly onSessionGone: () => Promise<void>;
}

const REVIVAL_MS = 30_000;

export function createStandaloneStream(options: StandaloneOptions, wire: HttpWire): StandaloneStream {
  const { transport } = wire;
  const { clock, random, reconnect, silenceMs, maxMessageBytes } = wire.options;
  const reviveMs = reconnect.maxMs ?? REVIVAL_MS;
  let state: StandaloneState = 'off';
  let current: Lifetime | undefined;
  let follow: (() => Promise<void>) | undefined;
  let lostAt: number | undefined;
  let revivable = false;
  /** It was open once, in this session or an earlier one: whatever keeps it away now may pass. */
  let hasWorked = false;

  /** Answers come on the streams of their requests, and nowhere else. */
  const onValue = (value: unknown): void => {
    if (Array.isArray(value) && allowsBatches(transport.protocolVersion)) {
      for (const element of value) if (!Array.isArray(element)) onValue(element);
    } else if (isRecord(value) && !('method' in value)) wire.reportForeign(value['id']);
    else wire.receive(value);
  };

  const is = (wanted: StandaloneState): boolean => state === wanted;

  const begin = (lifetime: Lifetime, decided: () => void): (() => Promise<void>) => {
    const cursor = createCursor();
    const reconnects = createReconnects(reconnect, random);

    const open = async (attempt: Lifetime, silence: SilenceWatch): Promise<unknown> => {
      let offered = true;
      const reply = await wire.send({
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
          if (head.contentType !== 'text/event-stream') return unusableSink(head, wire.redact);
          state = 'open';
          hasWorked = true;
          decided();
          options.onOpen();
          return new EventSink({
            cursor,
            onValue,
            onMalformed: () => wire.reportMalformed(),
            maxEventBytes: maxMessageBytes,
            redact: wire.redact,
            silence,
          });
        },
      });
      if (!offered) state = 'none';
      return reply?.broken;
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
        // Half-open, or only quiet: there is no other way to tell than to ask for it again.
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
        await sleepDuring(lifetime, ms, clock);
        if (lifetime.ended) return;
      }
    };
  };

  const giveUp = (cause: unknown): void => {
    state = 'lost';
    const first = lostAt === undefined;
    lostAt = clock.now();
    if (!first) return;
    transport.report(
      new TransportError(
        'RECONNECT_EXHAUSTED',
        'The event stream of the server is lost: what it sends unasked is missed.',
        {
          cause,
          hint: 'Requests still work. Connect again, or reload what the server may have changed.',
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

/** What has worked before is worth its attempts, whatever a gateway or a resolver says meanwhile. */
function mayPass(failure: unknown, hasWorked: boolean): boolean {
  if (!(failure instanceof FittingsError)) return false;
  return failure.retryable || (hasWorked && failure.kind !== 'auth' && failure.kind !== 'config');
}
