/** Whether a cost grows at most linearly, from the points of a line. */

/** The exponent of a power law: 1 is linear, 2 quadratic, and n log n over these decades about 1.1. */
export const MOST_EXPONENT = 1.15;
/** The cost of one at the end, in that of one a decade before: caches and the collector grow it a little. */
export const MOST_RISE = 1.5;
/** What is judged of each line. A smaller value than `least` is noise; of memory it is what V8 had left over from warming up. */
export const METRICS = {
  ms: { unit: 'ms', least: 0.2 },
  cpu: { unit: 'ms of CPU', least: 0.2 },
  peak: { unit: 'MiB', least: 16 },
};
/** Two decades: below, what is the same for every size hides what grows. */
const UPPER = 100;
const DECADE = 10;

/**
 * @param points `{ n, value }`
 * @param least smaller values are noise, and count as this one.
 * @returns `exponent`: the slope of a line through the upper two decades, both axes logarithmic; `rise`; `isLinear`.
 */
export function growthOf(points, least) {
  const known = points
    .map(({ n, value }) => ({ n, value: Math.max(value, least) }))
    .toSorted((a, b) => a.n - b.n);
  const last = known.at(-1);
  const upper = known.filter(({ n }) => n * UPPER >= last.n);
  const exponent = slope(upper.map(({ n, value }) => [Math.log(n), Math.log(value)]));
  const before = known.findLast(({ n }) => n * DECADE <= last.n) ?? known[0];
  const rise = last.value / last.n / (before.value / before.n);
  return { exponent, rise, isLinear: exponent <= MOST_EXPONENT && rise <= MOST_RISE };
}

/**
 * The growth of each metric. Wall time is judged only if every point had a calm run; CPU and memory always.
 * @param points `{ n, ms, cpu, peak, calm }`
 */
export function growthOfLine(points) {
  const isCalm = points.every(({ calm }) => calm > 0);
  const judged = Object.entries(METRICS).filter(([metric]) => metric !== 'ms' || isCalm);
  return Object.fromEntries(
    judged.map(([metric, { least }]) => {
      const values = points.map((point) => ({ n: point.n, value: point[metric] }));
      return [metric, growthOf(values, least)];
    }),
  );
}

/** Least squares. */
export function slope(pairs) {
  if (pairs.length < 2) return 0;
  const mean = (at) => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const products = pairs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return products / pairs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
