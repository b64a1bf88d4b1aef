/** Records as a Markdown table; the same is printed. */

const NAMES = {
  floor: 'floor',
  ours: 'ours',
  host: 'host',
  none: 'no connection',
  bare: 'bare Node',
  zod: 'bare Zod',
  sdk1: 'SDK v1',
  sdk2: 'SDK v2',
};
const UNKNOWN = 'unknown';
const COLUMNS = ['ours', 'floor', 'sdk1', 'sdk2'];

export function tableOf(records) {
  return [
    '| workload | ours | floor | SDK v1 | SDK v2 | × floor (goal) | × better SDK (goal) | other (goal) | waited, taken | rounds |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...records.map(rowOf),
  ].join('\n');
}

function rowOf(record) {
  const { label, unit, values, figures } = record;
  const cells = COLUMNS.map((name) => (values[name] === undefined ? '' : `${amount(values[name])} ${unit}`));
  const named = (against) =>
    figures
      .filter((one) => one.against === against)
      .map(shown)
      .join(', ');
  const others = [
    // What has a goal, and no column.
    ...figures
      .filter(({ against }) => values[against] !== undefined && !COLUMNS.includes(against))
      .map(({ against }) => `${nameOf(against)} ${amount(values[against])} ${unit}`),
    ...figures.filter(({ against }) => against !== 'floor' && against !== 'sdk').map(shown),
  ];
  const all = [
    label,
    ...cells,
    named('floor'),
    named('sdk'),
    others.join(', '),
    waitOf(record),
    roundsOf(record),
  ];
  return `| ${all.join(' | ')} |`;
}

/** ✓ and ✗ are verdicts; `?` says that there were too few rounds for one. */
function shown({ against, value, goal, unit, met, judged = true, rounds }) {
  const digits = (number) => (unit === '×' ? ratio(number) : `${amount(number)} ${unit}`);
  if (value === undefined) return `not measured (${digits(goal)}) ? no calm round`;
  const beside = unit !== '×' || against === 'floor' || against === 'sdk' ? '' : ` × ${nameOf(against)}`;
  if (!judged)
    return `${digits(value)}${beside} (${digits(goal)}) ? ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  const mark = met ? '' : '**';
  return `${mark}${digits(value)}${beside}${mark} (${digits(goal)}) ${met ? '✓' : '✗'}`;
}

/** Of the contender that was disturbed most. */
function waitOf({ waited, taken }) {
  // What is the same in every round, and results from before it was recorded.
  if (waited === undefined) return '';
  const most = (shares) => Math.max(...Object.values(shares));
  if (Object.keys(waited).length === 0) return UNKNOWN;
  return `${percent(most(waited))}, ${percent(most(taken))}`;
}

function roundsOf({ rounds, kept = rounds }) {
  return kept === rounds ? String(rounds) : `${kept} of ${rounds}`;
}

function percent(share) {
  return `${(share * 100).toFixed(0)} %`;
}

function ratio(value) {
  return value < 0.1 ? value.toFixed(3) : value.toFixed(2);
}

function amount(value) {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** How many figures were judged and met, and which were not. */
export function summaryOf(records) {
  const figures = records.flatMap(({ label, figures: all }) => all.map((one) => ({ label, ...one })));
  const open = figures.filter(({ judged }) => judged === false);
  const missed = figures.filter(({ met, judged }) => !met && judged !== false);
  return { met: figures.length - missed.length - open.length, of: figures.length, missed, open };
}

/** `41 of 45 figures met, 2 not judged: too few calm rounds`. */
export function verdictOf(records) {
  const { met, of, open } = summaryOf(records);
  const rest = open.length === 0 ? '' : `, ${open.length} not judged: too few calm rounds`;
  return `${met} of ${of} figures met${rest}`;
}

export function nameOf(contender) {
  return NAMES[contender] ?? contender;
}
