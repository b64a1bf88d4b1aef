import type { Script, SseWriter } from './scripted-server.js';

/** Event streams that a script leaves open, to be written to later. */
export interface OpenStreams {
  readonly script: Script;
  readonly writers: SseWriter[];
}

export function openStreams(): OpenStreams {
  const writers: SseWriter[] = [];
  return { writers, script: (exchange) => void writers.push(exchange.sse()) };
}
