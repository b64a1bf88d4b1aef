import { sanitizeText } from '@mcp-fittings/client-core/text';
import type { Progress } from '@mcp-fittings/host';
import type { ToolEvent } from './tool-event.js';

/** Maximum number of texts that wait for a slow listener. The oldest are dropped. */
const MAX_TEXTS = 100;
const MAX_TEXT_LENGTH = 4_000;

type WaitingEvent = Extract<ToolEvent, { type: 'progress' | 'partial' }>;

/** The progress of one call that the caller has not read yet. Bounded, however fast the server reports. */
export interface ProgressQueue {
  /** Adds a progress notification of the server. */
  push(progress: Progress): void;
  /** Removes and returns all waiting events, oldest first. */
  take(): readonly WaitingEvent[];
  /** Resolves when an event is waiting or `end` was called. */
  changed(): Promise<void>;
  /** Ends the queue: later notifications are ignored. */
  end(): void;
}

/** Creates the queue of one call. */
export function createProgressQueue(): ProgressQueue {
  let latest: WaitingEvent | undefined;
  let texts: WaitingEvent[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };

  return {
    push({ progress, total, message }) {
      if (ended || !Number.isFinite(progress)) return;
      latest = { type: 'progress', progress, ...(Number.isFinite(total) && { total }) };
      if (typeof message === 'string' && message !== '') {
        texts.push({
          type: 'partial',
          text: sanitizeText(message, { maxLength: MAX_TEXT_LENGTH, multiline: true }),
        });
        if (texts.length > MAX_TEXTS) texts.shift();
      }
      notify();
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
