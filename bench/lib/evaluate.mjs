/** From the rounds of a workload to its figures, each beside what it has to meet. */
import { calmRounds, JUDGED_ROUNDS } from './calm.mjs';
import { median, overRounds, quantile } from './statistics.mjs';

const SDKS = ['sdk1', 'sdk2'];

/**
 * The records that are kept, one for each goal of a series: medians by contender, one figure for each goal, how many of the rounds
 * count, and how long the contenders waited.
 * @param all every round; turns that others disturbed are left out here.
 */
export function evaluateSeries(workload, all) {
  const { series } = workload;
  if (series === undefined) return [evaluate(workload, all)];
  return series.map(({ metric, ...own }) => {
    const one = ({ [metric]: value, [`${metric}Cpu`]: cpu, waited, taken }) => ({
      value,
      cpu,
      waited,
      taken,
    });
    const rounds = all.map((round) =>
      Object.fromEntries(Object.entries(round).map(([name, result]) => [name, one(result)])),
    );
    return evaluate({ ...workload, ...own, id: `${workload.id}-${metric}` }, rounds);
  });
}

export function evaluate(workload, all) {
  const rounds = calmRounds(all, workload);
  const figures = [...ratios(workload, rounds), ...limits(workload, rounds), ...difference(workload, rounds)];
  return {
    id: workload.id,
    label: workload.label,
    unit: workload.unit,
    rounds: all.length,
    kept: keptOf(figures, rounds),
    // Of all rounds: what was thrown away shows how calm it was.
    waited: byContender(workload, all, ({ waited }) => waited),
    taken: byContender(workload, all, ({ taken }) => taken),
    values: byContender(workload, rounds, ({ value }) => value),
    figures,
  };
}

/** Of the figure that has fewest; a row without a goal has those of ours. */
function keptOf(figures, rounds) {
  if (figures.length === 0) return overRounds(rounds, ['ours'], () => undefined).length;
  return Math.min(...figures.map((figure) => figure.rounds));
}

function byContender({ contenders }, rounds, read) {
  return Object.fromEntries(
    contenders
      .map((name) => [name, overRounds(rounds, [name], read).filter((value) => value !== undefined)])
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, median(values)]),
  );
}

/** `sdk` is the better of both; any other goal is to the contender of its name. */
function ratios(workload, rounds) {
  const isCompared = (name) => workload.contenders.includes(name) && !workload.printedOnly?.includes(name);
  return Object.entries(workload.goal).flatMap(([against, goal]) => {
    const others = (against === 'sdk' ? SDKS : [against]).filter(isCompared);
    return goal === undefined || others.length === 0 ? [] : [ratio(against, others, goal, workload, rounds)];
  });
}

/** Ours over the best of `others`, in time and, where it is known, in CPU of the contender's own process. */
function ratio(against, others, goal, workload, rounds) {
  const over = (metric) => {
    // A contender that took part in the first round only is compared with each of ours.
    if (others.some((name) => workload.once?.includes(name))) {
      const [them] = overRounds(rounds, others, (...all) => best(all, metric));
      return them === undefined ? [] : overRounds(rounds, ['ours'], (one) => one[metric] / them);
    }
    return overRounds(rounds, ['ours', ...others], (one, ...them) => one[metric] / best(them, metric));
  };
  const inCpu = over('cpu').filter(Number.isFinite);
  const cpu = inCpu.length === 0 ? {} : { cpu: median(inCpu), cpuLow: quantile(inCpu, 0.25) };
  return { ...figure(against, over('value'), goal), ...cpu };
}

function best(others, metric) {
  return Math.min(...others.map((one) => one[metric]));
}

/** Too few rounds meet nothing. */
function figure(against, all, goal, unit = '×') {
  const judged = all.length >= JUDGED_ROUNDS;
  if (all.length === 0) return { against, goal, unit, rounds: 0, judged, met: false };
  const value = median(all);
  return {
    against,
    value,
    low: quantile(all, 0.25),
    goal,
    unit,
    rounds: all.length,
    judged,
    met: judged && value <= goal,
  };
}

function limits(workload, rounds) {
  return (workload.limits ?? []).map(({ metric, most, unit, worst }) => {
    const all = overRounds(rounds, ['ours'], (one) => one[metric]);
    const found = figure(`limit ${metric}`, all, most, unit);
    if (!worst || all.length === 0) return found;
    const value = Math.max(...all);
    return { ...found, value, low: value, met: found.judged && value <= most };
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

/** The record of an installed size, which is the same in every round. */
export function evaluateSize({ id, label, bytes, largestOwn, sdk2 }) {
  const exact = (against, value, goal, unit = '×') => ({
    against,
    value,
    low: value,
    goal,
    unit,
    met: value <= goal,
  });
  return {
    id,
    label,
    unit: 'MB',
    rounds: 1,
    values: { ours: bytes / MB, sdk2: sdk2 / MB },
    figures: [
      exact('sdk', bytes / sdk2, 0.2),
      exact('limit largest package of ours', largestOwn / MB, OWN_MB, 'MB'),
    ],
  };
}
