import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../lib/evaluate.mjs';
import { comparisonPage, replaceRecords, resultsPage } from '../lib/files.mjs';
import { regressions } from '../lib/regression.mjs';
import { tableOf } from '../lib/table.mjs';

const workload = {
  id: 'one',
  label: 'one call',
  unit: 'µs',
  contenders: ['floor', 'ours', 'sdk1', 'sdk2'],
  goal: { floor: 1.2, sdk: 0.5 },
  throughput: false,
};
const round = (floor: number, ours: number, sdk1: number, sdk2: number) => ({
  floor: { value: floor },
  ours: { value: ours },
  sdk1: { value: sdk1 },
  sdk2: { value: sdk2 },
});

/** As often as a goal is judged on. */
const often = <Round>(one: Round, times = 7): Round[] => Array.from({ length: times }, () => one);

describe('what the benchmark says', () => {
  it('is the median of the ratios of single rounds, to the floor and to the better SDK of each', () => {
    // Everything is ten times as slow in one round: that says nothing about anybody.
    const rounds = [round(10, 11, 40, 44), round(100, 110, 500, 440), round(10, 13, 60, 40)];
    const record = evaluate(workload, rounds);
    expect(record.figures[0]?.value).toBeCloseTo(1.1);
    expect(record.figures[1]?.value).toBeCloseTo(0.275);
    expect(record.values).toMatchObject({ floor: 10, ours: 13 });
  });

  it('leaves a contender that is only printed out of the ratio', () => {
    const record = evaluate({ ...workload, printedOnly: ['sdk1'] }, [round(10, 11, 2, 44)]);
    expect(record.figures[1]?.value).toBeCloseTo(0.25);
    expect(record.values).toMatchObject({ sdk1: 2 });
  });

  it('has goals beside any other contender, which the last column names', () => {
    const one = { bare: { value: 40 }, ours: { value: 50 }, mcporter: { value: 100 } };
    const others = {
      ...workload,
      contenders: Object.keys(one),
      unit: 'ms',
      goal: { bare: 1.3, mcporter: 0.4 },
    };
    const record = evaluate(others, often(one));
    expect(record.figures).toMatchObject([
      { against: 'bare', value: 1.25, met: true },
      { against: 'mcporter', value: 0.5, met: false },
    ]);
    expect(tableOf([record])).toContain(
      '| bare Node 40.0 ms, mcporter 100 ms, 1.25 × bare Node (1.30) ✓, **0.50 × mcporter** (0.40) ✗ |',
    );
  });

  it('names a figure that is missed', () => {
    const table = tableOf([evaluate(workload, often(round(10, 20, 30, 30)))]);
    expect(table).toContain('**2.00** (1.20) ✗');
  });

  it('is a regression when even the better rounds are beyond the slack, and not when one was disturbed', () => {
    const committed = evaluate(workload, often(round(10, 11, 40, 40)));
    const disturbed = [round(10, 11, 40, 40), round(10, 11.5, 40, 40), round(10, 30, 40, 40)];
    expect(regressions(evaluate(workload, disturbed), committed, workload)).toEqual([]);
    const worse = [round(10, 14, 40, 40), round(10, 15, 40, 40), round(10, 14, 40, 40)];
    const found = regressions(evaluate(workload, worse), committed, workload);
    expect(found[0]).toMatch('one call: 1.40 × floor, was 1.10');
    // 30 % for throughput.
    expect(regressions(evaluate(workload, worse), committed, { ...workload, throughput: true })).toEqual([]);
  });

  it('believes a slower run of the same CPU only when it is twice as slow', () => {
    const at = (ours: number, cpu: number) =>
      often({
        floor: { value: 10, cpu: 5 },
        ours: { value: ours, cpu },
        sdk1: { value: 90, cpu: 9 },
        sdk2: { value: 90, cpu: 9 },
      });
    const committed = evaluate(workload, at(10, 5));
    expect(regressions(evaluate(workload, at(15, 5)), committed, workload)).toEqual([]);
    expect(regressions(evaluate(workload, at(15, 7)), committed, workload)).not.toEqual([]);
    expect(regressions(evaluate(workload, at(21, 5)), committed, workload)).not.toEqual([]);
  });

  it('compares no difference of less than a microsecond for a call, unless it is twice as slow', () => {
    const found = (before: number, now: number) => {
      const [committed, record] = [before, now].map((ours) =>
        evaluate(workload, often(round(4, ours, 40, 40))),
      );
      return regressions(record, committed, workload).length;
    };
    expect(found(1.7, 2.1)).toBe(0);
    expect(found(1.7, 2.8)).toBeGreaterThan(0);
    expect(found(0.8, 1.7)).toBeGreaterThan(0);
  });

  it('compares no absolute figure, and nothing that was not there before', () => {
    const limited = { ...workload, goal: {}, limits: [{ metric: 'value', most: 1, unit: 'ms' }] };
    const before = evaluate(limited, often(round(10, 1, 40, 40)));
    const now = evaluate(limited, often(round(10, 50, 40, 40)));
    expect(regressions(now, before, limited)).toEqual([]);
    expect(regressions(now, undefined, limited)).toEqual([]);
  });
});

it('replaces the rows that were measured again, and says when', () => {
  const before = { node: 'v20.20.2', date: '2026-11-24', records: [{ id: 'one' }, { id: 'two' }] };
  const again = { date: '2026-11-25', records: [{ id: 'two' }, { id: 'new' }] };
  expect(replaceRecords(before, again)).toEqual({
    ...before,
    records: [{ id: 'one' }, { id: 'two', date: '2026-11-25' }, { id: 'new', date: '2026-11-25' }],
  });
});

it('docs/comparison.md has the figures of the results', () => {
  const page = readFileSync(new URL('../../docs/comparison.md', import.meta.url), 'utf8');
  expect(page).toBe(comparisonPage());
});

it('RESULTS.md is what the results and the notes make', () => {
  expect(readFileSync(new URL('../RESULTS.md', import.meta.url), 'utf8')).toBe(resultsPage());
});
