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
import { streamHeaders } from './stream-headers.js';

/**
 * `off`: not asked for. `opening`: on its way, or waiting to try again. `open`: the server holds it. `none`: the
 * server offers none, which is its right. `lost`: given up, until the server shows signs of life.
 */
export type StandaloneState = 'off' | 'opening' | 'open' | 'none' | 'lost';

/** The GET stream on which a server of the revisions before 2026-07-28 sends what belongs to no request. */
export interface StandaloneStream {
  readonly state: StandaloneState;
  /** For a new session: opens it from its beginning. */
  start(): void;
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
  /** The server has forgotten the session. */
  readonly onSessionGone: () => void;
}

const REVIVAL_MS = 30_000;

export function createStandaloneStream(facts: StandaloneFacts): StandaloneStream {
  const { exchange, clock, makeError, report, inbox } = facts;
  const reviveMs = facts.reconnect.maxMs ?? REVIVAL_MS;
  let state: StandaloneState = 'off';
  let current: Lifetime | undefined;
  let follow: (() => Promise<void>) | undefined;
  let lostAt: number | undefined;
  let revivable = false;

  /** Answers come on the streams of their requests, and nowhere else. */
  const onValue = (value: unknown): void => {
    if (Array.isArray(value) && allowsBatches(facts.revision())) {
      for (const element of value) if (!Array.isArray(element)) onValue(element);
    } else if (isRecord(value) && !('method' in value)) inbox.foreign(value['id']);
    else inbox.receive(value);
  };

  const is = (wanted: StandaloneState): boolean => state === wanted;

  const begin = (lifetime: Lifetime): (() => Promise<void>) => {
    const cursor = createCursor();
    const reconnects = createReconnects(facts.reconnect, facts.random);

    const open = async (): Promise<unknown> => {
      let offered = true;
      const reply = await exchange({
        verb: 'GET',
        fields: streamHeaders(facts.revision(), cursor),
        session: 'current',
        lifetime,
        settle({ row }) {
          offered = row.meaning !== 'no-stream';
          return !offered;
        },
        accept(head, redact) {
          if (head.contentType !== 'text/event-stream') return unusableSink(head, makeError, redact);
          state = 'open';
          return eventSink({
            ...facts,
            cursor,
            redact,
            onValue,
            onMalformed: inbox.malformed,
            maxEventBytes: facts.maxMessageBytes,
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
        try {
          failure = await open();
        } catch (error) {
          failure = error;
        }
        if (lifetime.ended || is('none')) return;
        const wasOpen = is('open');
        if (failure instanceof TransportError && failure.code === 'SESSION_LOST') {
          state = 'lost';
          return facts.onSessionGone();
        }
        const passing = failure === undefined || (failure instanceof FittingsError && failure.retryable);
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
      follow = begin(lifetime);
      void follow();
    },
    noticeLife() {
      if (state !== 'lost' || !revivable || lostAt === undefined || clock.now() - lostAt < reviveMs) return;
      void follow?.();
    },
  };
}
