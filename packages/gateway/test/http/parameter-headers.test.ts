import { describe, expect, it } from 'vitest';
import { checkParameterHeaders } from '../../src/http/check-parameter-headers.js';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  },
};

function check(headers: Record<string, string>, args: Record<string, unknown>, method = 'tools/call') {
  const body = { jsonrpc: '2.0', id: 7, method, params: { name: 'deploy', arguments: args } };
  return checkParameterHeaders(new Headers(headers), body, (tool) =>
    tool === 'deploy' ? SCHEMA : undefined,
  );
}

describe('headers that repeat parameters', () => {
  it('pass if they are those of the arguments', () => {
    expect(check({ 'Mcp-Param-Region': 'eu' }, { region: 'eu' })).toBeUndefined();
    expect(check({ 'mcp-param-region': '=?base64?w7w=?=' }, { region: 'ü' })).toBeUndefined();
    expect(check({ 'mcp-param-count': '42.0' }, { count: 42 })).toBeUndefined();
    expect(check({ 'mcp-param-region': 'ignored' }, {})).toBeUndefined();
  });

  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['another value', { 'mcp-param-region': 'us' }, { region: 'eu' }],
    ['no header', {}, { region: 'eu' }],
    ['invalid Base64', { 'mcp-param-region': '=?base64?!?=' }, { region: 'eu' }],
    ['another number', { 'mcp-param-count': '43' }, { count: 42 }],
  ])('are refused before the call: %s', async (_, headers, args) => {
    const response = check(headers, args);
    expect(response?.status).toBe(400);
    expect(await response?.json()).toMatchObject({ id: 7, error: { code: -32_020 } });
  });

  it('are checked for calls of tools only', () => {
    expect(check({ 'mcp-param-region': 'us' }, { region: 'eu' }, 'prompts/get')).toBeUndefined();
  });
});
