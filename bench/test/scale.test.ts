import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { growthOf, slope } from '../scale/linear.mjs';
import { pageOf } from '../scale/page.mjs';
import { pictureOf } from '../scale/picture.mjs';
import { ROWS } from '../scale/rows.mjs';

const SIZES = [1, 10, 100, 1000, 10_000, 100_000];
const grown = (cost: (n: number) => number) => SIZES.map((n) => ({ n, value: cost(n) }));

describe('how a cost grows', () => {
  it('has the exponent of a power law', () => {
    const pairs = [1, 2, 4, 8].map((n): [number, number] => [Math.log(n), Math.log(3 * n ** 2)]);
    expect(slope(pairs)).toBeCloseTo(2);
  });

  it('is linear, or less, whatever a start costs', () => {
    expect(
      growthOf(
        grown((n) => 2 * n),
        0.1,
      ),
    ).toMatchObject({ isLinear: true });
    expect(
      growthOf(
        grown((n) => 500 + n),
        0.1,
      ).isLinear,
    ).toBe(true);
    expect(
      growthOf(
        grown(() => 7),
        0.1,
      ).exponent,
    ).toBeCloseTo(0);
    expect(
      growthOf(
        grown((n) => n * (1 + Math.log2(n) / 50)),
        0.1,
      ).isLinear,
    ).toBe(true);
  });

  it('is not linear when it is quadratic, also when only the upper decades show it', () => {
    expect(
      growthOf(
        grown((n) => n ** 2),
        0.1,
      ).isLinear,
    ).toBe(false);
    expect(
      growthOf(
        grown((n) => 50 * n + n ** 2 / 1000),
        0.1,
      ).isLinear,
    ).toBe(false);
  });

  it('is not linear when one costs twice as much at the end', () => {
    const values = grown((n) => (n === 100_000 ? 2 * n : n));
    expect(growthOf(values, 0.1)).toMatchObject({ isLinear: false });
    expect(growthOf(values, 0.1).rise).toBeCloseTo(2);
  });

  it('takes values below the noise for noise', () => {
    const noise = [0.001, 0.002, 0.003, 0.004, 0.02, 0.9].map((value, at) => ({ n: SIZES[at] ?? 0, value }));
    expect(growthOf(noise, 0.01).isLinear).toBe(false);
    expect(growthOf(noise, 0.2).isLinear).toBe(true);
  });
});

const lineOf = (cpu: (n: number) => number, calm = 3) =>
  [10, 100, 1000].map((n) => ({ n, ms: n * 2, cpu: cpu(n), peak: n / 10, live: 0, runs: 3, calm }));
const row = (points: ReturnType<typeof lineOf>) => ({
  id: 'calls',
  label: 'Calls <all>',
  unit: 'calls',
  about: 'One connection.',
  node: 'v20.0.0',
  date: '2026-01-01',
  load: 0.1,
  lines: [{ id: 'stdio', label: 'stdio', points }],
});
const page = (points: ReturnType<typeof lineOf>) => pageOf({ cpus: '2 × CPU', rows: [row(points)] });

describe('the page of the scale', () => {
  it('says what is linear, and what is not', () => {
    expect(page(lineOf((n) => n))).toMatch(/\| stdio \| 1 000 \| .* 1\.00, 1\.00, 0\.40 .* linear \|/);
    expect(page(lineOf((n) => n ** 2))).toContain('**not linear**');
  });

  it('does not judge time that other programs took, only CPU and memory', () => {
    expect(page(lineOf((n) => n, 0))).toMatch(/–, 1\.00, 0\.40/);
  });

  it('has a picture of each row, with its own colors on a dark page', () => {
    const picture = pictureOf(row(lineOf((n) => n)));
    expect(picture).toContain('Calls &lt;all>');
    expect(picture).toContain('prefers-color-scheme: dark');
    expect(picture).not.toMatch(/NaN|undefined|Infinity/);
    // As far right as the decades go, in both panels.
    expect(picture.match(/<circle cx="(358|742)"/g)).toHaveLength(2);
  });

  it('draws CPU where time was disturbed', () => {
    expect(pictureOf(row(lineOf((n) => n)))).toContain('>milliseconds<');
    expect(pictureOf(row(lineOf((n) => n, 0)))).toContain('>milliseconds of CPU<');
  });

  it('is that of the committed result', () => {
    const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect(read('bench/SCALE.md')).toBe(pageOf(JSON.parse(read('bench/results/scale.json'))));
  });

  it('has rows up to a thousand servers, 100 MB and 10 000 tools', () => {
    const most = Object.fromEntries(ROWS.map(({ id, points: all }) => [id, all.at(-1)]));
    expect(most).toEqual({
      servers: 1000,
      calls: 100_000,
      pending: 100_000,
      notifications: 100_000,
      bytes: 100_000_000,
      tools: 10_000,
    });
  });
});
