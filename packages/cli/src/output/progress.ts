import type { LastToolEvent, ToolEvent } from '@mcp-fittings/tools';
import { LiveRegion } from './live-region.js';
import { printable } from './printable.js';
import type { SpinnerDeps } from './spinner.js';
import type { Style } from './style.js';

/** Shows the progress of a call on the last line of the terminal, or else as notes of `--verbose`. */
export interface ProgressView extends Disposable {
  show(event: Exclude<ToolEvent, LastToolEvent>): void;
  /** Removes the line, for example for a prompt. The next event shows it again. */
  pause(): void;
  done(): void;
}

export function openProgress({ live, output }: Pick<SpinnerDeps, 'live' | 'output'>): ProgressView {
  let state: BarState = { progress: 0 };
  const region = live === undefined || output.json ? undefined : new LiveRegion(live);
  const kept = region === undefined ? undefined : output.keepAbove(region);
  const view: ProgressView = {
    show(event) {
      state =
        event.type === 'progress'
          ? { ...state, progress: event.progress, total: event.total }
          : { ...state, message: printable(event.text, 200) };
      const line = output.redact(progressLine(state, output.noteStyle));
      if (region === undefined) output.detail(line);
      else region.paint(() => [line]);
    },
    pause: () => region?.clear(),
    done: () => region?.clear(),
    [Symbol.dispose]() {
      region?.clear();
      kept?.[Symbol.dispose]();
    },
  };
  return view;
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
