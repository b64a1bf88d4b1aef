/** Records as a Markdown table; the same is printed. */

const NAMES = {
  floor: 'floor',
  ours: 'ours',
  host: 'host',
  none: 'no connection',
  sdk1: 'SDK v1',
  sdk2: 'SDK v2',
};

export function tableOf(records) {
  return [
    '| workload | ours | floor | SDK v1 | SDK v2 | × floor (goal) | × better SDK (goal) | other (goal) |',
    '| --- | --: | --: | --: | --: | --: | --: | --: |',
    ...records.map(rowOf),
  ].join('\n');
}

function rowOf({ label, unit, values, figures }) {
  const cells = ['ours', 'floor', 'sdk1', 'sdk2'].map((name) =>
    values[name] === undefined ? '' : `${amount(values[name])} ${unit}`,
  );
  const named = (against) =>
    figures
      .filter((one) => one.against === against)
      .map(shown)
      .join(', ');
  const others = figures.filter((one) => one.against !== 'floor' && one.against !== 'sdk').map(shown);
  return `| ${[label, ...cells, named('floor'), named('sdk'), others.join(', ')].join(' | ')} |`;
}

function shown({ value, goal, unit, met }) {
  const digits = (number) => (unit === '×' ? ratio(number) : `${amount(number)} ${unit}`);
  return `${met ? '' : '**'}${digits(value)}${met ? '' : '**'} (${digits(goal)}) ${met ? '✓' : '✗'}`;
}

function ratio(value) {
  return value < 0.1 ? value.toFixed(3) : value.toFixed(2);
}

function amount(value) {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** `41 of 45 figures met`, and which were not. */
export function summaryOf(records) {
  const figures = records.flatMap(({ label, figures: all }) => all.map((one) => ({ label, ...one })));
  const missed = figures.filter(({ met }) => !met);
  return { met: figures.length - missed.length, of: figures.length, missed };
}

export function nameOf(contender) {
  return NAMES[contender] ?? contender;
}
