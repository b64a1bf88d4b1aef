import type { Clock } from '@mcp-fittings/client-core';
import type { BodySink } from '../wire/send.js';

/** Default of `reconnect.silenceMs`. */
export const SILENCE_MS = 120_000;

export interface SilenceWatch extends Disposable {
  /** Something came. */
  readonly heard: () => void;
}

/**
 * Calls `onSilence` once, when nothing was heard for `ms` milliseconds; never where that is 0. It has one timer, not one for
 * each thing that is heard.
 */
export function watchSilence(clock: Clock, ms: number, onSilence: () => void): SilenceWatch {
  let last = clock.now();
  let timer: Disposable | undefined;
  const listen = (left: number): void => {
    timer = clock.schedule(
      () => {
        const rest = last + ms - clock.now();
        if (rest > 0) listen(rest);
        else onSilence();
      },
      left,
      { unref: true },
    );
  };
  if (ms > 0) listen(ms);
  return {
    heard: () => void (last = clock.now()),
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}

/** Calls `heard` for every piece of a body: comments that keep a stream alive count as well. */
export function heedingSink(sink: BodySink, heard: () => void): BodySink {
  return {
    data(bytes) {
      heard();
      sink.data(bytes);
    },
    end: () => sink.end(),
  };
}
