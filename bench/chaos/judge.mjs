/** The verdict of a chaos run. */

/**
 * Compares what callers were told of each call with how often servers carried it out. `ok`: exactly once. `not-sent` and `rejected`: never.
 * `unknown`: at most once.
 * @param {Map<string, { kind: string, code?: string, message?: string, fault?: string }>} told @param {Map<string, number>} executed
 */
export function judge(told, executed) {
  const result = { untruthful: 0, unsettled: 0, twice: 0, outcomes: {}, examples: [] };
  for (const [id, { kind, code, message, fault }] of told) {
    const count = executed.get(id) ?? 0;
    const outcome = code === undefined ? kind : `${kind} ${code}`;
    result.outcomes[outcome] = (result.outcomes[outcome] ?? 0) + 1;
    const isUntruthful =
      (kind === 'ok' && count === 0) ||
      ((kind === 'not-sent' || kind === 'rejected') && count > 0) ||
      kind === 'no-delivery';
    if (kind === 'unsettled') result.unsettled++;
    if (isUntruthful) result.untruthful++;
    if (count > 1) result.twice++;
    const isWrong = isUntruthful || count > 1 || kind === 'unsettled';
    if (isWrong && result.examples.length < 5) {
      result.examples.push(
        `${id} (${fault}): ${kind} ${code ?? ''} ${message ?? ''}, executed ${count} times`,
      );
    }
  }
  return result;
}
