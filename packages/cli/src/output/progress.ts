import type { LastToolEvent, ToolEvent } from '@mcp-fittings/tools';
import type { LiveRegion } from './live-region.js';
import type { Output } from './output.js';
import { printable } from './printable.js';
import type { Style } from './style.js';

/** Shows the progress of a call on the last line of the terminal, or else as notes of `--verbose`. */
export class ProgressView implements Disposable {
  readonly #output: Output;
  readonly #region: LiveRegion | undefined;
  #state: BarState = { progress: 0 };

  constructor(output: Output) {
    this.#output = output;
    this.#region = output.openLiveRegion();
  }

  show(event: Exclude<ToolEvent, LastToolEvent>): void {
    this.#state =
      event.type === 'progress'
        ? { ...this.#state, progress: event.progress, total: event.total }
        : { ...this.#state, message: printable(event.text, 200) };
    const line = this.#output.redact(progressLine(this.#state, this.#output.noteStyle));
    if (this.#region === undefined) this.#output.detail(line);
    else this.#region.paint(() => [line]);
  }

  /** Removes the line, for example for a prompt. The next event shows it again. */
  clear(): void {
    this.#region?.clear();
  }

  [Symbol.dispose](): void {
    this.#region?.[Symbol.dispose]();
  }
}

export interface BarState {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const WIDTH = 24;

/**
 * Formats `████████░░░░░░░░  33 %  4 of 12  message`; without a total, only the amount. `message` has to be printable.
 */
export function progressLine({ progress, total, message = '' }: BarState, style: Style): string {
  const text = message === '' ? '' : `  ${message}`;
  if (total === undefined || !(total > 0)) return `${style.cyan('…')} ${amount(progress)}${text}`;
  const share = Math.min(1, Math.max(0, progress / total));
  const full = Math.round(share * WIDTH);
  const bar = style.cyan('█'.repeat(full)) + style.dim('░'.repeat(WIDTH - full));
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${bar} ${percent}  ${amount(progress)} of ${amount(total)}${text}`;
}

function amount(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
