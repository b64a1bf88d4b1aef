/**
 * Ratios of this run beside the committed ones. A ratio is worse only when even its lower quartile is, and when CPU says so
 * too, which what else the machine does hardly touches; but twice as slow is worse in any case.
 */

const LATENCY_SLACK = 1.15;
const THROUGHPUT_SLACK = 1.3;
const IN_ANY_CASE = 2;

/** Sentences about what became worse; empty when nothing did. */
export function regressions(record, committed, { throughput = false } = {}) {
  const slack = throughput ? THROUGHPUT_SLACK : LATENCY_SLACK;
  return record.figures.flatMap((now) => {
    const before = committed?.figures.find(({ against }) => against === now.against);
    if (before === undefined || now.unit !== '×') return [];
    const slower = now.low / before.value;
    const dearer = before.cpu === undefined || now.cpuLow === undefined ? slower : now.cpuLow / before.cpu;
    if (slower <= slack || (dearer <= slack && slower <= IN_ANY_CASE)) return [];
    return [`${record.label}: ${now.value.toFixed(2)} × ${now.against}, was ${before.value.toFixed(2)}`];
  });
}

/** Against whom a workload is checked: the floor, or the SDK where it has none. */
export function checkedContenders(workload) {
  if (workload.goal.floor !== undefined) return ['floor', 'ours'];
  return workload.contenders;
}
