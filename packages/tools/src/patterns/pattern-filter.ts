import { isLinearPattern } from './linear-pattern.js';
import { patternProblem } from './portable-pattern.js';

/** Judging costs a millisecond at most; a schema with very many patterns is not judged to its end. */
const MOST_JUDGED = 100;

/** Says which patterns of one schema can be checked. */
export class PatternJudge {
  /** A pattern was left out because it could stall the thread. */
  left = false;
  readonly #accepts: 'all' | 'linear';
  readonly #verdicts = new Map<string, string | undefined>();

  constructor(accepts: 'all' | 'linear') {
    this.#accepts = accepts;
  }

  /** Why this pattern is not checked; undefined when it is. */
  problemOf(pattern: string): string | undefined {
    if (!this.#verdicts.has(pattern)) this.#verdicts.set(pattern, this.#judge(pattern));
    return this.#verdicts.get(pattern);
  }

  #judge(pattern: string): string | undefined {
    const problem = patternProblem(pattern);
    if (problem !== undefined || this.#accepts === 'all') return problem;
    if (this.#verdicts.size < MOST_JUDGED && isLinearPattern(pattern)) return undefined;
    this.left = true;
    return 'it could take very long on some texts';
  }
}
