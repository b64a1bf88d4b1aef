import type { CommandContext } from '../../command-context.js';
import { createLiveRegion } from '../../output/live-region.js';
import { progressLine, type BarState } from '../../output/progress-bar.js';
import { shown } from '../../output/shown.js';

type ProgressEvent =
  | { readonly type: 'progress'; readonly progress: number; readonly total?: number | undefined }
  | { readonly type: 'partial'; readonly text: string };

/** How far a call is, on the last line of the terminal; where there is none, notes of `--verbose`. */
export interface ProgressView extends Disposable {
  show(event: ProgressEvent): void;
  /** Takes the line away, e.g. to ask something; the next event shows it again. */
  pause(): void;
  done(): void;
}

export function openProgress({ live, output }: CommandContext): ProgressView {
  let state: BarState = { progress: 0 };
  const region = live === undefined || output.json ? undefined : createLiveRegion(live);
  const kept = region === undefined ? undefined : output.keepAbove(region);
  const view: ProgressView = {
    show(event) {
      state =
        event.type === 'progress'
          ? { ...state, progress: event.progress, total: event.total }
          : { ...state, message: shown(event.text, 200) };
      const line = output.redact(progressLine(state, output.noteStyle));
      if (region === undefined) output.detail(line);
      else region.paint([line]);
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
