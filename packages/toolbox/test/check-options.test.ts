import { checkMember, checkOptions } from '@mcp-fittings/toolbox/entries';
import { expect, it } from 'vitest';

const KNOWN = { transports: true, name: true } as const;

it('an option that is not known is refused, with the name that was probably meant', () => {
  expect(() => checkOptions('createHost()', { transport: [] }, KNOWN)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: 'createHost() has no option "transport".',
      hint: 'Did you mean "transports"?',
    }),
  );
});

it('an option that resembles none is refused, with all names', () => {
  expect(() => checkOptions('createHost()', { quickly: 1 }, KNOWN)).toThrow(
    expect.objectContaining({ hint: 'Its options are transports, name.' }),
  );
});

it('an inherited name is not an option, and an option that is undefined is absent', () => {
  expect(() => checkOptions('f()', { constructor: 1 }, KNOWN)).toThrow(
    expect.objectContaining({ message: 'f() has no option "constructor".' }),
  );
  expect(checkOptions('f()', { transport: undefined, name: 'x' }, KNOWN)).toMatchObject({ name: 'x' });
});

it.each([
  ['undefined', undefined],
  ['null', null],
  ['an array', []],
  ['a string', 'claude'],
])('%s is not an object of options', (kind, value) => {
  expect(() => checkOptions('f()', value, KNOWN)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: `The argument of f() must be an object of options, not ${kind}.`,
    }),
  );
});

it('a name of another kind is refused in the same way', () => {
  expect(() => checkMember('host.on()', 'event', 'states', { state: true, error: true })).toThrow(
    expect.objectContaining({
      message: 'host.on() has no event "states".',
      hint: 'Did you mean "state"?',
    }),
  );
});
