import { describe, expect, it } from 'vitest';
import { calmRounds, JUDGED_ROUNDS, MOST_TAKEN } from '../lib/calm.mjs';
import { evaluate, evaluateSeries } from '../lib/evaluate.mjs';
import { regressions, tooFewRounds } from '../lib/regression.mjs';
import { summaryOf, tableOf, verdictOf } from '../lib/table.mjs';
import { sharesOf, snapshot, waitedBetween } from '../lib/waiting.mjs';

const workload = {
  id: 'one',
  label: 'one call',
  unit: 'µs',
  contenders: ['floor', 'ours', 'sdk1'],
  goal: { floor: 1.2, sdk: 0.5 },
  throughput: false,
};
const CALM = { waited: 0.4, taken: 0.01 };
const DISTURBED = { waited: 0.7, taken: 0.5 };
const round = (ours: object, floor: object = CALM, sdk1: object = CALM) => ({
  floor: { value: 10, ...floor },
  ours: { value: 11, ...ours },
  sdk1: { value: 40, ...sdk1 },
});
/** What measures return besides. */
const MEASURED = ['value', 'cpu', 'lost', 'kept', 'mib', 'longest', 'payloads'];
const rounds = <Round>(times: number, one: Round): Round[] => Array.from({ length: times }, () => one);

describe('a turn that others disturbed', () => {
  it('is thrown away, and leaves the ratios between the others of its round', () => {
    const all = [round(CALM), round(CALM, CALM, DISTURBED), round(CALM, DISTURBED)];
    expect(calmRounds(all).map((one) => Object.keys(one))).toEqual([
      ['floor', 'ours', 'sdk1'],
      ['floor', 'ours'],
      ['ours', 'sdk1'],
    ]);
    const record = evaluate(workload, all);
    expect(record).toMatchObject({ rounds: 3, kept: 2 });
    expect(record.figures.map((figure) => figure.rounds)).toEqual([2, 2]);
  });

  it('is not mistaken for a result: notifications that were lost, and memory that was kept', () => {
    const results = MEASURED.map((metric) => ({
      ...round(DISTURBED),
      ours: { value: 1, ...DISTURBED, [metric]: 0 },
    }));
    for (const one of calmRounds(results)) expect(one).not.toHaveProperty('ours');
  });

  it('counts at the threshold, if it is not known, if no time is measured, and if there is no other', () => {
    const limit = { waited: 1, taken: MOST_TAKEN };
    expect(calmRounds([round(limit)])[0]).toHaveProperty('ours');
    expect(calmRounds([round({ ...limit, taken: MOST_TAKEN + 0.001 })])[0]).not.toHaveProperty('ours');
    expect(calmRounds([round({})])[0]).toHaveProperty('ours');
    expect(calmRounds([round(DISTURBED)], { timeless: true })[0]).toHaveProperty('ours');
    expect(calmRounds([round(CALM, CALM, DISTURBED)], { once: ['sdk1'] })[0]).toHaveProperty('sdk1');
  });

  it('says nothing about the values', () => {
    const slow = {
      floor: { value: 10, ...CALM },
      ours: { value: 99, ...DISTURBED },
      sdk1: { value: 40, ...CALM },
    };
    const record = evaluate(workload, [...rounds(7, round(CALM)), ...rounds(9, slow)]);
    expect(record.values).toMatchObject({ ours: 11 });
    expect(record.figures[0]).toMatchObject({ value: 1.1, rounds: 7, judged: true, met: true });
    // That of all rounds shows why some were thrown away.
    expect(record.taken).toMatchObject({ ours: 0.5, floor: 0.01 });
  });
});

describe('a row with too few calm rounds', () => {
  const few = evaluate(workload, [...rounds(JUDGED_ROUNDS - 1, round(CALM)), ...rounds(6, round(DISTURBED))]);

  it('is not met, and says so', () => {
    expect(few.figures[0]).toMatchObject({ value: 1.1, judged: false, met: false });
    const table = tableOf([few]);
    expect(table).toContain('1.10 (1.20) ? 6 rounds');
    expect(table).not.toContain('✓');
    expect(table).toMatch(/\| 55 %, 26 % \| 6 of 12 \|$/);
    expect(verdictOf([few])).toBe('0 of 2 figures met, 2 not judged: too few calm rounds');
    expect(summaryOf([few]).missed).toEqual([]);
  });

  it('is judged with one more', () => {
    const enough = evaluate(workload, rounds(JUDGED_ROUNDS, round(CALM)));
    expect(tableOf([enough])).toMatch(/1\.10 \(1\.20\) ✓.*\| 40 %, 1 % \| 7 \|$/);
    expect(verdictOf([enough])).toBe('2 of 2 figures met');
  });

  it('without any is not measured, and not a regression', () => {
    const none = evaluate(workload, rounds(5, round(DISTURBED)));
    expect(tableOf([none])).toContain('not measured (1.20) ? no calm round');
    const committed = evaluate({ ...workload }, rounds(7, round(CALM)));
    const worse = [
      ...rounds(1, { ...round(CALM), ours: { value: 99, ...CALM } }),
      ...rounds(4, round(DISTURBED)),
    ];
    expect(regressions(none, committed, workload)).toEqual([]);
    expect(regressions(evaluate(workload, worse), committed, workload)).toEqual([]);
    expect(tooFewRounds(evaluate(workload, worse))[0]).toBe('one call, × floor: 1 of 5 rounds were calm');
  });

  it('says unknown where the system does not tell how long a process waited', () => {
    expect(tableOf([evaluate(workload, rounds(7, round({}, {}, {})))])).toMatch(/✓.*\| unknown \| 7 \|$/);
  });
});

describe('a cold series', () => {
  it('has a row for each number of calls, and goals for some', () => {
    const cold = {
      ...workload,
      contenders: ['floor', 'ours'],
      series: [
        { metric: 'first1', label: 'first call', goal: {} },
        { metric: 'first500', label: 'first 500', goal: { floor: 1.1 } },
      ],
    };
    const one = {
      floor: { first1: 2, first500: 100, first500Cpu: 80, ...CALM },
      ours: { first1: 3, first500: 105, first500Cpu: 88, ...CALM },
    };
    const records = evaluateSeries(cold, [
      ...rounds(7, one),
      { ...one, floor: { ...one.floor, ...DISTURBED } },
    ]);
    expect(records).toMatchObject([
      { id: 'one-first1', label: 'first call', values: { ours: 3 }, figures: [], kept: 8 },
      { id: 'one-first500', kept: 7, figures: [{ against: 'floor', value: 1.05, cpu: 1.1, met: true }] },
    ]);
  });
});

describe('how long processes waited for a CPU', () => {
  it('is taken by others only as far as others ran, and as the contender was idle', () => {
    // On a quiet machine the two of a ping-pong wait for each other, on one CPU.
    const pingPong = { wallMs: 100, ranMs: 95, waitedMs: 50, serial: true };
    expect(sharesOf({ ...pingPong, othersMs: 3 })).toEqual({ waited: 0.5, taken: 0.03 });
    // Others keep the other CPU busy.
    expect(sharesOf({ ...pingPong, othersMs: 100 }).taken).toBeCloseTo(0.05);
    expect(sharesOf({ ...pingPong, ranMs: 40, othersMs: 100 }).taken).toBeCloseTo(0.5);
    // Processes that could have worked at the same time.
    expect(
      sharesOf({ wallMs: 100, ranMs: 100, waitedMs: 60, othersMs: 100, serial: false }).taken,
    ).toBeCloseTo(0.6);
    expect(sharesOf({ wallMs: 100, ranMs: 190, waitedMs: 30, othersMs: -5, serial: false }).taken).toBe(0);
  });

  it('is that of a process and its descendants since the first snapshot', () => {
    const at = (
      atMs: number,
      busyMs: number,
      ...times: readonly (readonly [ran: number, waited: number])[]
    ) => ({
      atMs,
      busyMs,
      processes: new Map(times.map(([ranMs, waitedMs], pid) => [pid, { ranMs, waitedMs }] as const)),
    });
    const before = at(0, 1000, [50, 10]);
    // The second process is new.
    const after = at(100, 1180, [80, 40], [20, 5]);
    expect(waitedBetween(before, after, { serial: true })).toEqual({ waited: 0.35, taken: 0.35 });
    expect(waitedBetween(undefined, after, { serial: true })).toBeUndefined();
    expect(waitedBetween(before, undefined, { serial: true })).toBeUndefined();
  });

  it('is not known of a process that does not exist', () => {
    expect(snapshot(2 ** 30)).toBeUndefined();
  });
});
