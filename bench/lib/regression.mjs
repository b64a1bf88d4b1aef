/**
 * Ratios of this run beside the committed ones. A ratio is worse only when even its lower quartile is, and when CPU says so
 * too, which what else the machine does hardly touches; but twice as slow is worse in any case. Less than a microsecond more for
 * one call is not compared: what V8 makes of one and a half differs by a quarter from machine to machine.
 */

const LATENCY_SLACK = 1.15;
const THROUGHPUT_SLACK = 1.3;
const IN_ANY_CASE = 2;
const FELT_US = 1;
/** Fewer calm rounds say nothing. */
const COMPARED_ROUNDS = 2;

/** Sentences about what became worse; empty when nothing did. */
export function regressions(record, committed, { throughput = false } = {}) {
  const slack = throughput ? THROUGHPUT_SLACK : LATENCY_SLACK;
  return record.figures.filter(isCompared).flatMap((now) => {
    const before = committed?.figures.find(({ against }) => against === now.against);
    if (before?.value === undefined) return [];
    const slower = now.low / before.value;
    const dearer = before.cpu === undefined || now.cpuLow === undefined ? slower : now.cpuLow / before.cpu;
    const more = record.values.ours * (1 - before.value / now.value);
    if (record.unit === 'µs' && more < FELT_US && slower <= IN_ANY_CASE) return [];
    if (slower <= slack || (dearer <= slack && slower <= IN_ANY_CASE)) return [];
    return [`${record.label}: ${now.value.toFixed(2)} × ${now.against}, was ${before.value.toFixed(2)}`];
  });
}

/** Ratios only: an absolute figure depends on the machine. */
function isCompared({ unit, rounds = Infinity }) {
  return unit === '×' && rounds >= COMPARED_ROUNDS;
}

/** Sentences about ratios that are not compared, because others disturbed nearly all rounds. */
export function tooFewRounds({ label, figures, rounds: made }) {
  return figures
    .filter((figure) => figure.unit === '×' && !isCompared(figure))
    .map(({ against, rounds }) => `${label}, × ${against}: ${rounds} of ${made} rounds were calm`);
}

/** Against whom a workload is checked: the floor, or the SDK where it has none. */
export function checkedContenders(workload) {
  if (workload.goal?.floor !== undefined || workload.series !== undefined) return ['floor', 'ours'];
  return workload.contenders;
}
