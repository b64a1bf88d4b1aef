import type { TransportError } from '@mcp-fittings/client-core';
import type { Pausable } from '@mcp-fittings/toolbox/base-transport';
import { createLifetime } from '@mcp-fittings/toolbox/timing';
import type { HttpRequest, HttpClient, ResponseHead } from '../../src/index.js';

/** One request and everything that its caller was told. */
export interface Recording {
  /** Gives the request up. */
  abort(): void;
  /** Stops reading. */
  pause(): void;
  resume(): void;
  /** `headers 200`, `data 5`, `end`, `error TIMEOUT`, in order. */
  readonly calls: readonly string[];
  readonly head: ResponseHead | undefined;
  readonly error: TransportError | undefined;
  readonly bytes: number;
  readonly text: string;
  /** Settles when the condition holds; it is looked at after each call. */
  until(condition: (recording: Recording) => boolean): Promise<void>;
  /** Settles at the end of the body, or with an error. */
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
  const lifetime = createLifetime();
  let source: Pausable | undefined;
  const paced = (given: Pausable) => {
    source = given;
    return { read: (_: number, handle: () => void) => handle() };
  };
  const sink = {
    data: (chunk: Uint8Array) => {
      bytes += chunk.length;
      parts.push(chunk);
      note(`data ${chunk.length}`);
    },
    end: () => note('end'),
  };
  const failed = (reason: unknown): void => {
    // The client rejects with no other error, and no sink throws one.
    error = reason as TransportError;
    note(`error ${error.code}`);
  };
  const accept = (received: ResponseHead) => {
    head = received;
    note(`headers ${received.status}`);
    return sink;
  };
  network.send({ ...request, paced }, lifetime, accept).then((reply) => {
    if (reply?.accepted === true && reply.broken !== undefined) failed(reply.broken);
  }, failed);
  const recording: Recording = {
    abort: () => lifetime.end(),
    pause: () => source?.pause(),
    resume: () => source?.resume(),
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
