import { FittingsError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { buildArguments } from '../src/arguments/build-arguments.js';
import { typedValue } from '../src/arguments/typed-value.js';
import { splitCommand } from '../src/commands/add-prompts.js';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    whole: { type: 'integer' },
    real: { type: 'number' },
    flag: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    point: { $ref: '#/$defs/point' },
    'with.dot': { type: 'string' },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    either: { type: ['string', 'number'] },
    size: { enum: ['s', 'm', 3] },
    free: {},
    loop: { $ref: '#/properties/loop' },
    broken: { $ref: '#/%' },
  },
  $defs: { point: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } } },
};
const build = (...pairs: readonly string[]): unknown => buildArguments({ pairs }, schema);

describe('arguments are read as the schema wants them', () => {
  it.each([
    ['text=5', { text: '5' }],
    ['text={"a":1}', { text: '{"a":1}' }],
    ['text=a=b', { text: 'a=b' }],
    ['text=', { text: '' }],
    ['whole=-7', { whole: -7 }],
    ['real=1.5e3', { real: 1500 }],
    ['real=.5', { real: 0.5 }],
    ['flag=false', { flag: false }],
    ['tags=["a","b"]', { tags: ['a', 'b'] }],
    ['tags=one', { tags: ['one'] }],
    ['point={"x":1}', { point: { x: 1 } }],
    ['point.x=1', { point: { x: 1 } }],
    ['with.dot=1', { 'with.dot': '1' }],
    ['maybe=null', { maybe: null }],
    ['maybe=3', { maybe: 3 }],
    ['either=3', { either: 3 }],
    ['either=three', { either: 'three' }],
    ['size=3', { size: 3 }],
    ['size=m', { size: 'm' }],
    ['free=[1]', { free: [1] }],
    ['free=words', { free: 'words' }],
    ['loop=1', { loop: 1 }],
    ['broken=1', { broken: 1 }],
    ['something.else.entirely=1', { 'something.else.entirely': 1 }],
  ])('%s', (pair, expected) => {
    expect(build(pair)).toEqual(expected);
  });

  it('a name given several times makes a list, members of one object come together', () => {
    expect(build('tags=a', 'tags=b', 'numbers=1', 'numbers=2', 'point.x=1', 'point.y=2')).toEqual({
      tags: ['a', 'b'],
      numbers: [1, 2],
      point: { x: 1, y: 2 },
    });
  });

  it.each([
    ['whole=1.5', 'must be a whole number'],
    ['whole=9007199254740993', 'represented exactly'],
    ['real=0x10', 'must be a number'],
    ['real=', 'must be a number'],
    ['flag=yes', 'must be true or false'],
    ['numbers=x', 'must be a whole number'],
    ['point=3', 'must be an object'],
    ['=x', 'not in the form'],
    ['txt=x', 'has no argument "txt"'],
    ['__proto__=x', 'cannot be named'],
  ])('%s is refused', (pair, words) => {
    expect(() => build(pair)).toThrow(words);
    expect(() => build(pair)).toThrow(FittingsError);
  });

  it('rejects a string that is given twice, and a member of a value that is not an object', () => {
    expect(() => build('text=a', 'text=b')).toThrow('is not a list');
    expect(() => buildArguments({ pairs: ['point.x=1'], json: '{"point":3}' }, schema)).toThrow(
      'not an object',
    );
  });

  it('nothing that a prototype has can be changed', () => {
    const args = buildArguments({ pairs: ['constructor.prototype.x=1'] }, { type: 'object' });
    expect(args).toEqual({ 'constructor.prototype.x': 1 });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('a closed schema refuses what it does not declare', () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    expect(() => buildArguments({ pairs: ['zzz=1'] }, closed)).toThrow('no argument "zzz"');
  });

  it('schemas that go round in circles, or wide, cost little', () => {
    const wide = { anyOf: Array.from({ length: 10_000 }, () => ({ anyOf: [{ $ref: '#' }, { $ref: '#' }] })) };
    expect(typedValue('x', { root: wide, part: wide })).toEqual({ value: 'x' });
  });
});

describe('splitCommand', () => {
  it.each([
    ['npx -y server', ['npx', '-y', 'server']],
    [`run "a b" 'c "d"' e\\ f`, ['run', 'a b', 'c "d"', 'e f']],
    [`x ""`, ['x', '']],
    [`  x  `, ['x']],
    [`x$HOME;y`, ['x$HOME;y']],
  ])('%s', (line, words) => expect(splitCommand(line)).toEqual(words));
  it.each(['', '  ', '"open', `''`])('%j is not a command', (line) =>
    expect(splitCommand(line)).toBeUndefined(),
  );
});
