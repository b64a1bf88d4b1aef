/** Which turns count: those in which others did not keep the contender from a CPU. */

/**
 * Share of a turn. On a quiet machine it is 0 to 5 %; 10 % shifts a ratio by as much as the goals leave room for (1.05 to 1.2), and
 * with one busy core of two, turns are at 0 to 9 % or, when the kernel moved a process to that core, at 15 to 90 %: there is little
 * between.
 */
export const MOST_TAKEN = 0.1;

/** A goal is judged on the median of at least so many rounds. */
export const JUDGED_ROUNDS = 7;

/**
 * The rounds without the turns that were disturbed. A turn of which it is not known counts, and so does the only one of `once`.
 * @param {readonly Record<string, any>[]} rounds
 * @param {{ once?: readonly string[], timeless?: boolean }} [workload]
 * @returns {Record<string, any>[]}
 */
export function calmRounds(rounds, { once = [], timeless = false } = {}) {
  const isCalm = ([name, { taken }]) =>
    timeless || once.includes(name) || taken === undefined || taken <= MOST_TAKEN;
  return rounds.map((round) => Object.fromEntries(Object.entries(round).filter(isCalm)));
}
