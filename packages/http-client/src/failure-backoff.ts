import { isRecent, type Clock } from '@mcp-fittings/client-core/transport';

/**
 * Remembers how the last attempt failed, such as the renewal of a token, so that frequent calls do not repeat it. The pause between
 * attempts grows from 2 s to 60 s.
 */
export interface FailureBackoff<Outcome> {
  /** Returns the remembered outcome while it is too early to try again, and `undefined` when it is time. Another `token` may be tried at once. */
  answer(token: string | undefined): Promise<Outcome> | undefined;
  /** Records a failed attempt. `answer` produces the outcome for calls during the pause. */
  failed(token: string | undefined, answer: () => Promise<Outcome>): void;
  /** Forgets earlier failures. */
  succeeded(): void;
}

const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

/** Creates a backoff that has no failures yet. */
export function createFailureBackoff<Outcome>(clock: Clock): FailureBackoff<Outcome> {
  let last: Failure<Outcome> | undefined;
  let inARow = 0;
  return {
    answer: (token) =>
      last !== undefined && last.token === token && isRecent(last.at, last.ms, clock.now())
        ? last.answer()
        : undefined,
    /** Records a failed attempt. `answer` produces the outcome for calls during the pause. */
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
