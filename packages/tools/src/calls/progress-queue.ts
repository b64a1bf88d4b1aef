import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { Progress } from '@mcp-fittings/host';
import type { ToolEvent } from './toolset.js';

/** Maximum number of texts that wait for a slow listener. The oldest are dropped. */
const MAX_TEXTS = 100;
const MAX_TEXT_LENGTH = 4_000;

/** An event of a call before its end. */
export type ProgressEvent = Extract<ToolEvent, { type: 'progress' | 'partial' }>;

/** Turns a progress notification of a server into events: its message as bounded text, then its numbers. A malformed one has no events. */
function progressEvents({ progress, total, message }: Progress): readonly ProgressEvent[] {
  if (!Number.isFinite(progress)) return [];
  const numbers = { type: 'progress', progress, ...(Number.isFinite(total) && { total }) } as const;
  if (typeof message !== 'string' || message === '') return [numbers];
  const text = sanitizeText(message, { maxLength: MAX_TEXT_LENGTH, multiline: true });
  return [{ type: 'partial', text }, numbers];
}

/** The progress of one call that the caller has not read yet. Bounded, however fast the server reports. */
export class ProgressQueue {
  #latest: ProgressEvent | undefined;
  #texts: ProgressEvent[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  /** Adds a progress notification of the server. */
  push(progress: Progress): void {
    if (this.#ended) return;
    for (const event of progressEvents(progress)) {
      if (event.type === 'progress') this.#latest = event;
      else if (this.#texts.push(event) > MAX_TEXTS) this.#texts.shift();
      this.#notify();
    }
  }

  /** Removes and returns all waiting events, oldest first. */
  take(): readonly ProgressEvent[] {
    const waiting = this.#latest === undefined ? this.#texts : [...this.#texts, this.#latest];
    this.#latest = undefined;
    this.#texts = [];
    return waiting;
  }

  /** Resolves when an event is waiting or `end` was called. */
  changed(): Promise<void> {
    const isReady = this.#ended || this.#latest !== undefined || this.#texts.length > 0;
    return isReady ? Promise.resolve() : new Promise((resolve) => (this.#wake = resolve));
  }

  /** Ends the queue: later notifications are ignored. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
