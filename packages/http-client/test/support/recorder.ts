import type { TransportError } from '@mcp-fittings/client-core';
import type { Exchange, HttpRequest, HttpClient, ResponseHead } from '../../src/index.js';

/** One exchange and everything that its handler was told. */
export interface Recording {
  readonly exchange: Exchange;
  /** `headers 200`, `data 5`, `end`, `error TIMEOUT`, in order. */
  readonly calls: readonly string[];
  readonly head: ResponseHead | undefined;
  readonly error: TransportError | undefined;
  readonly bytes: number;
  readonly text: string;
  /** Settles when the condition holds; it is looked at after each call. */
  until(condition: (recording: Recording) => boolean): Promise<void>;
  /** Settles at `onEnd` or `onError`. */
  readonly settled: Promise<void>;
}

export function record(network: HttpClient, request: HttpRequest): Recording {
  const calls: string[] = [];
  const parts: Uint8Array[] = [];
  const waiting = new Set<() => void>();
  let head: ResponseHead | undefined;
  let error: TransportError | undefined;
  let bytes = 0;

  const note = (call: string): void => {
    calls.push(call);
    for (const look of waiting) look();
  };
  const exchange = network.exchange(request, {
    onHeaders: (received) => {
      head = received;
      note(`headers ${received.status}`);
    },
    onData: (chunk) => {
      bytes += chunk.length;
      parts.push(chunk);
      note(`data ${chunk.length}`);
    },
    onEnd: () => note('end'),
    onError: (reason) => {
      error = reason;
      note(`error ${reason.code}`);
    },
  });
  const recording: Recording = {
    exchange,
    calls,
    get head() {
      return head;
    },
    get error() {
      return error;
    },
    get bytes() {
      return bytes;
    },
    get text() {
      return Buffer.concat(parts).toString();
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition(recording)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    get settled() {
      return recording.until(() => /^(end|error)/.test(calls.at(-1) ?? ''));
    },
  };
  return recording;
}
