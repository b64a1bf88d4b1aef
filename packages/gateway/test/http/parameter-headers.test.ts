import { describe, expect, it } from 'vitest';
import { checkParameterHeaders } from '../../src/http/check-parameter-headers.js';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  },
};

function check(given: Record<string, string>, args: Record<string, unknown>, method = 'tools/call'): void {
  const headers = new Headers(given);
  const message = { method, params: { name: 'deploy', arguments: args } };
  checkParameterHeaders(
    (name) => headers.get(name) ?? undefined,
    message,
    (tool) => (tool === 'deploy' ? SCHEMA : undefined),
  );
}

describe('headers that repeat parameters', () => {
  it('pass if they are those of the arguments', () => {
    expect(() => check({ 'Mcp-Param-Region': 'eu' }, { region: 'eu' })).not.toThrow();
    expect(() => check({ 'mcp-param-region': '=?base64?w7w=?=' }, { region: 'ü' })).not.toThrow();
    expect(() => check({ 'mcp-param-count': '42.0' }, { count: 42 })).not.toThrow();
    expect(() => check({ 'mcp-param-region': 'ignored' }, {})).not.toThrow();
  });

  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['another value', { 'mcp-param-region': 'us' }, { region: 'eu' }],
    ['no header', {}, { region: 'eu' }],
    ['invalid Base64', { 'mcp-param-region': '=?base64?!?=' }, { region: 'eu' }],
    ['another number', { 'mcp-param-count': '43' }, { count: 42 }],
  ])('are refused before the call: %s', (_, headers, args) => {
    expect(() => check(headers, args)).toThrow(expect.objectContaining({ status: 400, code: -32_020 }));
  });

  it('are checked for calls of tools only', () => {
    expect(() => check({ 'mcp-param-region': 'us' }, { region: 'eu' }, 'prompts/get')).not.toThrow();
  });
});
