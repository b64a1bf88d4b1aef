import { describe, expect, it } from 'vitest';
import { decodeParameterText, parameterHeaders, parameterText } from '../src/parameter-headers.js';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    options: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    bad: { type: 'string', 'x-mcp-header': 'not a token' },
    list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } },
  },
};

describe('parameters in headers', () => {
  it('are those that a chain of properties leads to', () => {
    expect(parameterHeaders(SCHEMA)).toEqual([
      { header: 'Mcp-Param-Region', path: ['region'] },
      { header: 'Mcp-Param-Count', path: ['options', 'count'] },
    ]);
    expect(parameterHeaders(undefined)).toEqual([]);
  });

  it('have the text of strings, booleans and integers', () => {
    const [region, count] = parameterHeaders(SCHEMA);
    if (region === undefined || count === undefined) throw new Error('The parameters are missing.');
    expect(parameterText({ region: 'eu' }, region)).toBe('eu');
    expect(parameterText({ region: true }, region)).toBe('true');
    expect(parameterText({ options: { count: 42 } }, count)).toBe('42');
    expect(parameterText({ options: { count: 1.5 } }, count)).toBeUndefined();
    expect(parameterText({ options: null }, count)).toBeUndefined();
    expect(parameterText(Object.create({ region: 'inherited' }), region)).toBeUndefined();
  });

  it('are decoded, unless the encoding is invalid', () => {
    expect(decodeParameterText('eu')).toBe('eu');
    expect(decodeParameterText('=?base64?w7w=?=')).toBe('ü');
    expect(decodeParameterText('=?base64?w7w?=')).toBeUndefined();
    expect(decodeParameterText('=?base64?/w==?=')).toBeUndefined();
  });
});
