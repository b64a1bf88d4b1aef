import type { CommandDeps } from '../command-deps.js';
import { printable } from './printable.js';

/** Shorter waits show nothing. Milliseconds. */
const DELAY_MS = 300;
const FRAME_MS = 120;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MOST_NAMES = 5;

/**
 * Shows a spinner on the last line of the terminal, with the names of the servers that are still connecting, until it is
 * disposed of. Shows nothing where lines cannot be repainted.
 */
export function openSpinner({ output, clock }: CommandDeps, names: () => readonly string[]): Disposable {
  const region = output.openLiveRegion();
  let frame = 0;
  const paint = (): void => {
    const waiting = names();
    if (waiting.length === 0) region?.clear();
    else {
      const line = `${output.noteStyle.cyan(FRAMES[frame++ % FRAMES.length] ?? '')} ${waitingText(waiting)}`;
      region?.paint(() => [line]);
    }
    timer = clock.schedule(paint, FRAME_MS);
  };
  let timer = region && clock.schedule(paint, DELAY_MS);
  return {
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      region?.[Symbol.dispose]();
    },
  };
}

/** Formats `waiting for a, b and 3 more`. */
function waitingText(names: readonly string[]): string {
  const named = names.slice(0, MOST_NAMES).map((name) => printable(name, 60));
  const more = names.length - named.length;
  return `waiting for ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
