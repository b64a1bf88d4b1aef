/** Between 0 and 1: 0.5 is the median. */
export function quantile(values, at) {
  const sorted = [...values].toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * at;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  return below + (above - below) * (position - Math.floor(position));
}

export function median(values) {
  return quantile(values, 0.5);
}

/** What `combine` makes of the rounds in which all of these contenders took part. */
export function overRounds(rounds, contenders, combine) {
  return rounds
    .filter((round) => contenders.every((contender) => round[contender] !== undefined))
    .map((round) => combine(...contenders.map((contender) => round[contender])));
}

/** So that none is always first. */
export function rotated(list, by) {
  const from = by % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
}
