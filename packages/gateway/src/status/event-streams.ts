import type { Clock } from '@mcp-fittings/client-core';
import type { AccessDecision } from '../contracts/access.js';
import type { Caller } from '../contracts/caller.js';
import type { GatewayStatus } from './gateway-status.js';

/** Time between two snapshots of one stream, in milliseconds, at least. */
const SNAPSHOT_MS = 1000;
/** Time between two comments that keep a stream open through proxies, and between two checks of who reads it. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a browser connects again when a stream has ended. */
const RETRY_MS = 3000;

/** Streams of server-sent events, each with the snapshots of one caller. */
export interface EventStreams extends Disposable {
  /**
   * Opens a stream, or refuses with 503 if there are as many as there may be. `authenticate` is asked again while it is open: it ends when
   * the token has expired, or the browser has signed out.
   */
  open(caller: Caller, authenticate: () => Promise<AccessDecision>): Response;
  /** Sends a new snapshot soon: to one caller, or to all. */
  changed(callerId?: string): void;
}

export interface EventStreamsOptions {
  readonly clock: Clock;
  readonly maxStreams: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: (caller: Caller) => GatewayStatus;
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { maxStreams, headers } = options;
  const streams = new Set<Stream>();

  return {
    open(caller, authenticate) {
      if (streams.size >= maxStreams) {
        return new Response('Too many open status pages.', {
          status: 503,
          headers: { ...headers, 'content-type': 'text/plain; charset=utf-8', 'retry-after': '30' },
        });
      }
      const stream = createStream(options, caller, authenticate, () => streams.delete(stream));
      streams.add(stream);
      return new Response(stream.body, {
        headers: { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      });
    },
    changed(callerId) {
      for (const stream of streams) {
        if (callerId === undefined || stream.callerId === callerId) stream.changed();
      }
    },
    [Symbol.dispose]() {
      for (const stream of streams) stream.end();
    },
  };
}

interface Stream {
  readonly body: ReadableStream<Uint8Array>;
  readonly callerId: string;
  changed(): void;
  end(): void;
}

function createStream(
  { clock, status }: EventStreamsOptions,
  first: Caller,
  authenticate: () => Promise<AccessDecision>,
  onEnd: () => void,
): Stream {
  const encoder = new TextEncoder();
  let caller = first;
  /** Absent before the stream is read, and after it has ended. */
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let last = '';
  let sentAt = -Infinity;
  let isChanged = true;
  let snapshotTimer: Disposable | undefined;
  let heartbeat: Disposable | undefined;

  const stop = (): void => {
    snapshotTimer?.[Symbol.dispose]();
    heartbeat?.[Symbol.dispose]();
    controller = undefined;
    onEnd();
  };
  const end = (): void => {
    controller?.close();
    stop();
  };
  /** A reader that does not keep up gets the newest snapshot once it reads again. */
  const hasRoom = (): boolean => (controller?.desiredSize ?? 0) > 0;
  const write = (text: string): void => controller?.enqueue(encoder.encode(text));
  const send = (): void => {
    snapshotTimer = undefined;
    if (!isChanged) return;
    isChanged = false;
    const { at, uptimeMs, ...content } = status(caller);
    const text = JSON.stringify(content);
    if (text === last) return;
    last = text;
    sentAt = clock.now();
    write(`event: status\ndata: ${JSON.stringify({ at, uptimeMs, ...content })}\n\n`);
  };
  const sendSoon = (): void => {
    if (!isChanged || !hasRoom()) return;
    const waitMs = Math.max(0, sentAt + SNAPSHOT_MS - clock.now());
    snapshotTimer ??= clock.schedule(send, waitMs, { unref: true });
  };
  const changed = (): void => {
    isChanged = true;
    sendSoon();
  };
  const check = async (): Promise<void> => {
    const decision = await authenticate().catch(() => undefined);
    if (controller === undefined) return;
    if (decision === undefined || 'refusal' in decision || decision.caller.id !== caller.id) return end();
    caller = decision.caller;
    if (hasRoom()) write(':\n\n');
    // What the caller may use can have changed without any event.
    changed();
    scheduleCheck();
  };
  const scheduleCheck = (): void => {
    heartbeat = clock.schedule(() => void check(), HEARTBEAT_MS, { unref: true });
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created;
        write(`retry: ${RETRY_MS}\n\n`);
        send();
        scheduleCheck();
      },
      pull: sendSoon,
      cancel: stop,
    },
    { highWaterMark: 4 },
  );
  return { body, callerId: first.id, changed, end };
}
