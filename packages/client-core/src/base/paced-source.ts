import type { TurnBudget } from './turn-budget.js';

/** What hands on bytes until it is told to stop: a socket, a body. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export interface PacedSource {
  /** Handles what came in at once, and pauses the source when its server has used up its share of the time. */
  read(bytes: number, handle: () => void): void;
}

/** Bytes that are parsed and handled in a millisecond, about. */
const BYTES_PER_MS = 200_000;

export function createPacedSource(budget: TurnBudget, source: Pausable): PacedSource {
  let isPaused = false;
  return {
    read(bytes, handle) {
      budget.count(handle, bytes / BYTES_PER_MS);
      if (isPaused || !budget.isShareUsedUp) return;
      isPaused = true;
      source.pause();
      budget.nextTurn(() => {
        isPaused = false;
        source.resume();
      });
    },
  };
}
