import { sanitizeText } from '@mcp-fittings/client-core/text';
import type { Progress } from '@mcp-fittings/host';
import type { ToolEvent } from './tool-event.js';

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
export interface ProgressQueue {
  /** Adds a progress notification of the server. */
  push(progress: Progress): void;
  /** Removes and returns all waiting events, oldest first. */
  take(): readonly ProgressEvent[];
  /** Resolves when an event is waiting or `end` was called. */
  changed(): Promise<void>;
  /** Ends the queue: later notifications are ignored. */
  end(): void;
}

/** Creates the queue of one call. */
export function createProgressQueue(): ProgressQueue {
  let latest: ProgressEvent | undefined;
  let texts: ProgressEvent[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };

  return {
    push(progress) {
      if (ended) return;
      for (const event of progressEvents(progress)) {
        if (event.type === 'progress') latest = event;
        else if (texts.push(event) > MAX_TEXTS) texts.shift();
        notify();
      }
    },
    take() {
      const waiting = latest === undefined ? texts : [...texts, latest];
      latest = undefined;
      texts = [];
      return waiting;
    },
    changed: () =>
      ended || latest !== undefined || texts.length > 0
        ? Promise.resolve()
        : new Promise((resolve) => (wake = resolve)),
    end() {
      ended = true;
      notify();
    },
  };
}
