import type { Logger } from '@mcp-fittings/client-core/transport';
import type { Refusal } from './gate.js';

/** Logs the first, tenth, hundredth … refusal of each kind, so that a flood of them costs next to nothing. */
export function createRefusalLog(logger: Logger | undefined): (refusal: Refusal) => void {
  const counts = new Map<string, number>();
  return ({ status, reason }) => {
    const times = (counts.get(reason) ?? 0) + 1;
    counts.set(reason, times);
    if (Number.isInteger(Math.log10(times))) {
      logger?.warn(`An upgrade was refused: ${reason}.`, { status, times });
    }
  };
}
