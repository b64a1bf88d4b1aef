/** From the rounds of a workload to its figures, each beside what it has to meet. */
import { median, overRounds, quantile } from './statistics.mjs';

const SDKS = ['sdk1', 'sdk2'];

/** @returns the record that is kept: medians by contender, and one figure for each goal. */
export function evaluate(workload, rounds) {
  const values = Object.fromEntries(
    workload.contenders
      .map((name) => [name, overRounds(rounds, [name], ({ value }) => value)])
      .filter(([, all]) => all.length > 0)
      .map(([name, all]) => [name, median(all)]),
  );
  return {
    id: workload.id,
    label: workload.label,
    unit: workload.unit,
    rounds: rounds.length,
    values,
    figures: [...ratios(workload, rounds), ...limits(workload, rounds), ...difference(workload, rounds)],
  };
}

function ratios(workload, rounds) {
  const { floor, sdk } = workload.goal;
  const sdks = SDKS.filter(
    (name) =>
      workload.contenders.includes(name) &&
      !workload.printedOnly?.includes(name) &&
      rounds.some((round) => round[name]),
  );
  return [
    ...(floor === undefined ? [] : ratio('floor', ['floor'], floor, workload, rounds)),
    ...(sdk === undefined || sdks.length === 0 ? [] : ratio('sdk', sdks, sdk, workload, rounds)),
  ];
}

/** Ours over the best of `others`, in time and, where it is known, in CPU of the contender's own process. */
function ratio(against, others, goal, workload, rounds) {
  const over = (metric) => {
    // A contender that took part in the first round only is compared with the median of ours.
    if (others.some((name) => workload.once?.includes(name))) {
      const ours = median(overRounds(rounds, ['ours'], (one) => one[metric]));
      return overRounds(rounds, others, (...them) => ours / best(them, metric));
    }
    return overRounds(rounds, ['ours', ...others], (one, ...them) => one[metric] / best(them, metric));
  };
  const inTime = over('value');
  if (inTime.length === 0) return [];
  const inCpu = over('cpu').filter(Number.isFinite);
  const cpu = inCpu.length === 0 ? {} : { cpu: median(inCpu), cpuLow: quantile(inCpu, 0.25) };
  return [{ ...figure(against, inTime, goal), ...cpu }];
}

function best(others, metric) {
  return Math.min(...others.map((one) => one[metric]));
}

function figure(against, all, goal, unit = '×') {
  const value = median(all);
  return { against, value, low: quantile(all, 0.25), goal, unit, met: value <= goal };
}

function limits(workload, rounds) {
  return (workload.limits ?? []).map(({ metric, most, unit, worst }) => {
    const all = overRounds(rounds, ['ours'], (one) => one[metric]);
    return figure(`limit ${metric}`, worst ? [Math.max(...all)] : all, most, unit);
  });
}

function difference(workload, rounds) {
  if (workload.difference === undefined) return [];
  const { of, over, most } = workload.difference;
  const all = overRounds(rounds, [of, over], (a, b) => a.value - b.value);
  return [figure('difference', all, most, workload.unit)];
}

const MB = 1_000_000;
const OWN_MB = 0.15;

/** The record of an installed size. */
export function evaluateSize({ id, label, bytes, own, thirdParty, sdk2 }) {
  const largest = Math.max(...Object.values(own)) / MB;
  return {
    id,
    label,
    unit: 'MB',
    rounds: 1,
    values: { ours: bytes / MB, sdk2: sdk2 / MB },
    figures: [
      figure('sdk', [bytes / sdk2], 0.2),
      figure('limit largest package of ours', [largest], OWN_MB, 'MB'),
    ],
    own,
    thirdParty,
  };
}
