import {
  count,
  described,
  eitherOf,
  entrySchema,
  flag,
  listOf,
  mapOf,
  oneOf,
  readEntry,
  required,
  text,
} from '@mcp-fittings/toolbox/entries';
import { anything, assert, dictionary, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';

const schema = entrySchema({
  command: required(described('What to run.', text({ minLength: 1 }))),
  args: listOf(text()),
  env: mapOf(text()),
  retries: count({ min: 1, max: 5 }),
  stderr: oneOf('ignore', 'inherit', true),
  trusted: flag(),
  key: eitherOf(text({ minLength: 1 }), listOf(text())),
});
const { validate, jsonSchema } = schema['~standard'];
const problems = (entry: unknown): string[] =>
  (validate(entry).issues ?? []).map(({ message, path = [] }) => [...path.map(String), message].join(' '));

describe('entrySchema', () => {
  it('accepts a full entry, and drops undeclared fields', () => {
    const entry = {
      command: 'node',
      args: ['a', ''],
      env: { A: '1' },
      retries: 5,
      stderr: true,
      trusted: false,
      key: ['x'],
    };
    expect(validate({ ...entry, disabled: true, timeout: 7 })).toEqual({ value: entry });
  });

  it('reports all mistakes at once, with what is expected', () => {
    const entry = { args: 'a', env: [], retries: 6, stderr: 'pipe', trusted: 'yes', key: '' };
    expect(problems(entry)).toEqual([
      'command is missing',
      'args must be a list, not string',
      'env must be an object, not a list',
      'retries must be a whole number from 1 to 5',
      'stderr must be one of ignore, inherit, true',
      'trusted must be true or false, not string',
      'key must not be empty, or must be a list, not string',
    ]);
  });

  it('names the invalid element or key', () => {
    expect(problems({ command: 'x', args: ['a', 1], env: { OK: '1', BAD: null } })).toEqual([
      'args element 1 must be text, not number',
      'env "BAD" must be text, not null',
    ]);
  });

  it.each([NaN, Infinity, 1.5, '3', 2 ** 53, null, -1, 0])('takes no %s for a whole number', (retries) => {
    expect(problems({ command: 'x', retries })).toHaveLength(1);
  });

  it.each([[null], [[]], ['x'], [7], [undefined]])('takes no %j for an entry', (entry) => {
    expect(problems(entry)).toEqual(['must be an object']);
  });

  it('treats an undefined member as absent', () => {
    expect(validate({ command: 'x', args: undefined })).toEqual({ value: { command: 'x' } });
    expect(problems({ command: undefined })).toEqual(['command is missing']);
  });

  it('reads own members only, and pollutes no prototype', () => {
    expect(problems(Object.create({ command: 'inherited' }))).toEqual(['command is missing']);
    const entry: unknown = JSON.parse(
      '{"command":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"env":{"__proto__":"p","A":"1"}}',
    );
    const result = validate(entry);
    expect(result).toHaveProperty('value.command', 'x');
    expect(Object.keys('value' in result ? result.value : {})).toEqual(['command', 'env']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect('value' in result && Object.getPrototypeOf(result.value)).toBe(Object.prototype);
  });

  it('quotes a hostile key safely and shortened', () => {
    const key = `\u001b[2J\u202e${'k'.repeat(100_000)}`;
    const [problem] = problems({ command: 'x', env: { [key]: 1 } });
    expect(problem?.length).toBeLessThan(200);
    expect(problem).toMatch(/^[\x20-\x7e…]*$/);
  });

  it('never throws, and never accepts an invalid member', () => {
    assert(
      property(anything(), dictionary(string(), anything()), (any, entry) => {
        validate(any);
        const result = validate({ ...entry, command: any });
        if (result.issues === undefined) expect(typeof result.value.command).toBe('string');
      }),
    );
  });

  it('describes itself to editors as JSON Schema', () => {
    expect(jsonSchema?.input({ target: 'draft-2020-12' })).toEqual({
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'What to run.' },
        args: { type: 'array', items: { type: 'string' } },
        env: { type: 'object', additionalProperties: { type: 'string' } },
        retries: { type: 'integer', minimum: 1, maximum: 5 },
        stderr: { enum: ['ignore', 'inherit', true] },
        trusted: { type: 'boolean' },
        key: {
          anyOf: [
            { type: 'string', minLength: 1 },
            { type: 'array', items: { type: 'string' } },
          ],
        },
      },
      required: ['command'],
    });
  });
});

describe('readEntry', () => {
  const schema = entrySchema({ url: required(text()), oauth: flag() });

  it('returns the declared fields, and names every mistake but no value', () => {
    expect(readEntry(schema, { url: 'x', other: 1 }, { server: 's' })).toEqual({ url: 'x' });
    const bad = (): unknown => readEntry(schema, { oauth: 'hunter2' }, { server: 's', member: 'part' });
    expect(bad).toThrow(/"s" is invalid: "part.url" is missing; "part.oauth" must be /);
    expect(bad).not.toThrow(/hunter2/);
    expect(() => readEntry(schema, 7, { server: 's' })).toThrow('is invalid: it must be an object.');
  });
});
