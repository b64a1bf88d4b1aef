import { isRecent, type Clock } from '@mcp-fittings/client-core/transport';

/** Remembers how the last renewal failed, so that a call a second does not become a storm of them. */
export interface RetryPause<Outcome> {
  /** What to answer without asking again, while it is too early to; undefined when it is time. */
  answer(token: string | undefined): Promise<Outcome> | undefined;
  failed(token: string | undefined, answer: () => Promise<Outcome>): void;
  succeeded(): void;
}

const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

export function createRetryPause<Outcome>(clock: Clock): RetryPause<Outcome> {
  let last: Failure<Outcome> | undefined;
  let inARow = 0;
  return {
    answer: (token) =>
      last !== undefined && last.token === token && isRecent(last.at, last.ms, clock.now())
        ? last.answer()
        : undefined,
    failed(token, answer) {
      last = { token, at: clock.now(), ms: Math.min(LONGEST_MS, FIRST_MS * 2 ** inARow), answer };
      inARow = Math.min(inARow + 1, 10);
    },
    succeeded() {
      last = undefined;
      inARow = 0;
    },
  };
}

interface Failure<Outcome> {
  readonly token: string | undefined;
  readonly at: number;
  readonly ms: number;
  readonly answer: () => Promise<Outcome>;
}
