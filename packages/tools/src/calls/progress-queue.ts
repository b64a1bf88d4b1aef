import { sanitizeText } from '@mcp-fittings/client-core/text';
import type { Progress } from '@mcp-fittings/host';
import type { ToolEvent } from './tool-event.js';

/** Texts that wait for a slow listener; older ones are dropped. */
const MOST_TEXTS = 100;
const LONGEST_TEXT = 4_000;

type Waiting = Extract<ToolEvent, { type: 'progress' | 'partial' }>;

/** Progress of one call on its way to whoever listens: bounded, however fast the server reports. */
export interface ProgressQueue {
  push(progress: Progress): void;
  /** What waits, oldest first; nothing of it is kept. */
  take(): readonly Waiting[];
  /** Resolves when something waits, or once `end` was called. */
  changed(): Promise<void>;
  end(): void;
}

export function createProgressQueue(): ProgressQueue {
  let latest: Waiting | undefined;
  let texts: Waiting[] = [];
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
          text: sanitizeText(message, { maxLength: LONGEST_TEXT, multiline: true }),
        });
        if (texts.length > MOST_TEXTS) texts.shift();
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
