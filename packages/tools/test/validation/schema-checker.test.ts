import { execFile } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it, vi } from 'vitest';
import { convertSchema } from '../../src/schema-to-zod/convert-schema.js';
import { describeIssues } from '../../src/validation/schema-issues.js';
import { createSchemaChecker } from '../../src/validation/schema-checker.js';

const run = promisify(execFile);

const withPattern = (pattern: string): ReturnType<typeof convertSchema> =>
  convertSchema({ type: 'object', properties: { a: { type: 'string', pattern } } });

const BUDGET_MS = 500;

/** Lets the budget of a check pass once the worker thread has started with it. */
async function useUpBudget(clock: ManualClock): Promise<void> {
  await vi.waitUntil(() => clock.nextIn === BUDGET_MS, { timeout: 20_000, interval: 1 });
  await clock.advance(BUDGET_MS);
}

describe('a hostile pattern', () => {
  const evil = withPattern('^(a+)+$');
  const text = `${'a'.repeat(60)}!`;

  it('is reported as unchecked, and is not part of the Zod schema', () => {
    expect(evil.coverage).toBe('partial');
    expect(evil.unchecked).toMatchObject([{ keyword: 'pattern', pointer: '/properties/a' }]);
    // With the pattern, this would take minutes.
    expect(evil.zod.safeParse({ a: 'a'.repeat(100_000) + '!' }).success).toBe(true);
  });

  it('is stopped when the budget is used up, and the event loop stays responsive meanwhile', async () => {
    const clock = createManualClock();
    await using checker = createSchemaChecker({ budgetMs: BUDGET_MS, clock });
    let turns = 0;
    const stopped = expect(checker.check(evil, { a: text })).rejects.toMatchObject({
      code: 'TIMEOUT',
      retryable: false,
      delivery: 'not-sent',
    });
    const rest = Symbol('rest');
    await vi.waitUntil(() => clock.nextIn === BUDGET_MS, { timeout: 20_000, interval: 1 });
    for (; turns < 100; turns++) expect(await Promise.race([stopped, nextTurn(rest)])).toBe(rest);
    await useUpBudget(clock);
    await stopped;
  });

  it('is checked in the worker thread within the budget', async () => {
    await using checker = createSchemaChecker({ budgetMs: 60_000 });
    expect(await checker.check(evil, { a: 'a'.repeat(20) })).toEqual([]);
    expect(await checker.check(evil, { a: 'a'.repeat(20) + '!' })).toMatchObject([{ path: ['a'] }]);
  });

  it('after a check was stopped, the next one gets a new thread', async () => {
    const clock = createManualClock();
    await using checker = createSchemaChecker({ budgetMs: BUDGET_MS, clock });
    const stopped = expect(checker.check(evil, { a: 'a'.repeat(60) + '!' })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    const next = checker.check(evil, { a: 'aaa' });
    await useUpBudget(clock);
    await stopped;
    expect(await next).toEqual([]);
  });

  it('also in patternProperties', async () => {
    const names = convertSchema({ type: 'object', patternProperties: { '^(a+)+$': { type: 'number' } } });
    expect(names.unchecked).toMatchObject([{ keyword: 'pattern', pointer: '/patternProperties' }]);
    const clock = createManualClock();
    await using checker = createSchemaChecker({ budgetMs: BUDGET_MS, clock });
    const stopped = expect(checker.check(names, { [`${'a'.repeat(60)}!`]: 1 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    await useUpBudget(clock);
    await stopped;
    expect(await checker.check(names, { aaa: 'x' })).toHaveLength(1);
  });
});

describe('budgets', () => {
  it('a worker thread that runs out of memory fails the check', async () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `d${i}`,
        { oneOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    );
    const heavy = convertSchema({ $ref: '#/$defs/d0', $defs: { ...doubling, d30: { type: 'string' } } });
    await using checker = createSchemaChecker({ budgetMs: 60_000 });
    await expect(checker.check(heavy, 1)).rejects.toMatchObject({
      code: 'TIMEOUT',
      cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
    });
  });

  it.each([
    ['too deep', JSON.parse('['.repeat(70) + ']'.repeat(70))],
    ['too many values', Array.from({ length: 100_001 }, () => 0)],
    ['too long', 'x'.repeat(16_000_001)],
    ['not JSON', { a: () => 1 }],
    ['a bigint', 1n],
  ])('a value that is %s is refused at once', async (_, value) => {
    await using checker = createSchemaChecker();
    const issues = await checker.check(convertSchema({}), value);
    expect(issues).toHaveLength(1);
    expect(describeIssues(issues)).toMatch(/^the value (is nested|holds)/);
  });

  it('a large value is checked in the worker thread, with the same result', async () => {
    const schema = {
      type: 'array',
      items: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    };
    const converted = convertSchema({ ...schema, allOf: [{ minItems: 1 }] });
    const rows = Array.from({ length: 3_000 }, (_, n) => ({ n }));
    await using checker = createSchemaChecker({ budgetMs: 60_000 });
    expect(await checker.check(converted, rows)).toEqual([]);
    expect(await checker.check(converted, [...rows, { n: 'x' }])).toMatchObject([{ path: [3_000, 'n'] }]);
  });

  it('a closed checker rejects, and can be closed twice', async () => {
    const checker = createSchemaChecker();
    const evil = withPattern('^(a+)+$');
    expect(await checker.check(evil, { a: 'a' })).toEqual([]);
    await checker[Symbol.asyncDispose]();
    await checker[Symbol.asyncDispose]();
    await expect(checker.check(evil, { a: 'a' })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('valid values that Zod alone would reject', () => {
  it.each([
    ['characters beyond U+FFFF count once', { type: 'string', maxLength: 2 }, '💩💩', '💩💩💩'],
    ['in a pattern too', { type: 'string', pattern: '^.{2}$' }, '💩💩', '💩💩💩'],
    ['and in a union', { anyOf: [{ pattern: '^.{2}$' }, { type: 'number' }] }, '💩💩', '💩💩💩'],
    ['a pattern of another engine', { type: 'string', pattern: '\\Aabc\\Z' }, 'abc', 5],
    ['a property of characters', { type: 'string', pattern: '^\\p{Lu}$' }, 'É', 5],
    ['whole numbers beyond 2^53', { type: 'integer' }, 1e20, 0.5],
    ['a member named as inherited ones', { properties: { constructor: { type: 'string' } } }, {}, undefined],
  ])('%s', async (_, schema, valid, invalid) => {
    await using checker = createSchemaChecker();
    const converted = convertSchema(schema);
    expect(await checker.check(converted, valid)).toEqual([]);
    if (invalid !== undefined) expect(await checker.check(converted, invalid)).toHaveLength(1);
  });
});

describe('the thread and the process', () => {
  it('neither an idle thread nor one that was stopped keeps the process alive', async () => {
    const script = `
      import { convertSchema, createSchemaChecker } from '@mcp-fittings/tools';
      const evil = convertSchema({ type: 'string', pattern: '^(a+)+$' });
      const checker = createSchemaChecker({ budgetMs: 2_000 });
      await checker.check(evil, 'a'.repeat(60) + '!').catch(({ code }) => console.log(code));
      console.log(await checker.check(evil, 'aaa'));`;
    const options = { cwd: import.meta.dirname, timeout: 25_000 };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], options);
    expect(stdout).toBe('TIMEOUT\n[]\n');
  });
});

describe('issues, for a model to read', () => {
  it('name the place, report the nearest branch of a union, and are sanitized', async () => {
    const converted = convertSchema({
      type: 'object',
      properties: {
        count: { type: 'integer' },
        target: {
          anyOf: [
            {
              type: 'object',
              properties: { file: { type: 'object', properties: { 'na\u001b[2Jme': { type: 'string' } } } },
            },
            { type: 'null' },
          ],
        },
        mode: { enum: ['\u202eevil', 'b'] },
      },
      required: ['count'],
      additionalProperties: false,
    });
    await using checker = createSchemaChecker();
    const issues = await checker.check(converted, {
      count: 1.5,
      target: { file: { 'na\u001b[2Jme': 5 } },
      mode: 'c',
      other: 1,
    });
    const text = describeIssues(issues);
    expect(text).toContain('count: Invalid input: expected a whole number');
    // S32: spelled as in the description for the model.
    expect(text).toContain('target.file.na\\u{1b}[2Jme: Invalid input: expected string, received number');
    expect(text).toContain('other');
    expect(text).toMatch(/^[\x20-\x7e]+$/);
  });

  it('are at most ten', async () => {
    await using checker = createSchemaChecker();
    const issues = await checker.check(
      convertSchema({ type: 'array', items: { type: 'string' } }),
      Array.from({ length: 500 }, () => 1),
    );
    expect(issues).toHaveLength(10);
  });
});
