import { FittingsError, isRecord, TransportError, type Clock } from '@mcp-fittings/client-core';
import { allowsBatches } from '../headers/revision.js';
import { createLifetime, type Lifetime } from '../lifetime.js';
import type { ReadingFacts } from '../reply/accept-reply.js';
import { unusableSink } from '../reply/unusable-sink.js';
import { wait } from '../wait.js';
import type { Exchanger } from '../wire/exchanger.js';
import { createCursor } from './cursor.js';
import { eventSink } from './event-sink.js';
import { createReconnects, type ReconnectOptions } from './reconnects.js';
import { heedingSink, SILENCE_MS, watchSilence } from './silence-watch.js';
import { streamHeaders } from './stream-headers.js';

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

export interface StandaloneFacts extends ReadingFacts {
  readonly exchange: Exchanger;
  readonly lifetime: Lifetime;
  readonly reconnect: ReconnectOptions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly revision: () => string | undefined;
  readonly report: (error: Error) => void;
  /** It is open, for the first time or again. */
  readonly onOpen: () => void;
  /** The server has forgotten the session. Settles when there is a new one, for which `start` was called. */
  readonly onSessionGone: () => Promise<void>;
}

const REVIVAL_MS = 30_000;

export function createStandaloneStream(facts: StandaloneFacts): StandaloneStream {
  const { exchange, clock, makeError, report, inbox } = facts;
  const silenceMs = facts.reconnect.silenceMs ?? SILENCE_MS;
  const reviveMs = facts.reconnect.maxMs ?? REVIVAL_MS;
  let state: StandaloneState = 'off';
  let current: Lifetime | undefined;
  let follow: (() => Promise<void>) | undefined;
  let lostAt: number | undefined;
  let revivable = false;
  /** It was open once, in this session or an earlier one: whatever keeps it away now may pass. */
  let hasWorked = false;

  /** Answers come on the streams of their requests, and nowhere else. */
  const onValue = (value: unknown): void => {
    if (Array.isArray(value) && allowsBatches(facts.revision())) {
      for (const element of value) if (!Array.isArray(element)) onValue(element);
    } else if (isRecord(value) && !('method' in value)) inbox.foreign(value['id']);
    else inbox.receive(value);
  };

  const is = (wanted: StandaloneState): boolean => state === wanted;

  const begin = (lifetime: Lifetime, decided: () => void): (() => Promise<void>) => {
    const cursor = createCursor();
    const reconnects = createReconnects(facts.reconnect, facts.random);

    const open = async (attempt: Lifetime, heard: () => void): Promise<unknown> => {
      let offered = true;
      const reply = await exchange({
        verb: 'GET',
        fields: streamHeaders(facts.revision(), cursor),
        session: 'current',
        eventStream: true,
        lifetime: attempt,
        settle({ row }) {
          offered = row.meaning !== 'no-stream';
          return !offered;
        },
        accept(head, redact) {
          if (head.contentType !== 'text/event-stream') return unusableSink(head, makeError, redact);
          state = 'open';
          hasWorked = true;
          decided();
          facts.onOpen();
          const sink = eventSink({
            ...facts,
            cursor,
            redact,
            onValue,
            onMalformed: inbox.malformed,
            maxEventBytes: facts.maxMessageBytes,
          });
          return heedingSink(sink, heard);
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
          failure = await open(attempt, watch.heard);
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
          failure = await facts.onSessionGone().then(
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
        await wait(clock, ms, lifetime);
        if (lifetime.ended) return;
      }
    };
  };

  const giveUp = (cause: unknown): void => {
    state = 'lost';
    const first = lostAt === undefined;
    lostAt = clock.now();
    if (!first) return;
    report(
      makeError(
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
      const lifetime = createLifetime(facts.lifetime);
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
