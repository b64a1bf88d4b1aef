import { createHost } from '@mcp-fittings/host';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../src/create-gateway.js';
import { checkParameterHeaders } from '../../src/http/check-parameter-headers.js';
import { text, toyServer } from '../core/support.js';
import { requestOf } from '../support/task-replica.js';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  },
};

function check(
  given: Record<string, string>,
  args: Record<string, unknown>,
  method = 'tools/call',
): Promise<void> {
  const headers = new Headers(given);
  const message = { method, params: { name: 'deploy', arguments: args } };
  return checkParameterHeaders(
    (name) => headers.get(name) ?? undefined,
    message,
    async (tool) => (tool === 'deploy' ? SCHEMA : undefined),
  );
}

describe('headers that repeat parameters', () => {
  it('pass if they are those of the arguments', async () => {
    await check({ 'Mcp-Param-Region': 'eu' }, { region: 'eu' });
    await check({ 'mcp-param-region': '=?base64?w7w=?=' }, { region: 'ü' });
    await check({ 'mcp-param-count': '42.0' }, { count: 42 });
    await check({ 'mcp-param-region': 'ignored' }, {});
  });

  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['another value', { 'mcp-param-region': 'us' }, { region: 'eu' }],
    ['no header', {}, { region: 'eu' }],
    ['invalid Base64', { 'mcp-param-region': '=?base64?!?=' }, { region: 'eu' }],
    ['another number', { 'mcp-param-count': '43' }, { count: 42 }],
  ])('are refused before the call: %s', async (_, headers, args) => {
    await expect(check(headers, args)).rejects.toMatchObject({ status: 400, code: -32_020 });
  });

  it('are checked for calls of tools only', async () => {
    await check({ 'mcp-param-region': 'us' }, { region: 'eu' }, 'prompts/get');
  });

  it.each([
    ['all servers', '/mcp', 'cloud__deploy'],
    ['one server', '/mcp/cloud', 'deploy'],
  ])('are checked also if the tool is not listed yet, at the address of %s', async (_, path, name) => {
    let calls = 0;
    const cloud = () =>
      toyServer({ tools: [{ name: 'deploy', inputSchema: SCHEMA }], call: () => (calls++, text('done')) });
    const transports = [inprocess({ servers: { cloud } })];
    await using host = createHost({ name: 'test', version: '1', transports, lazy: true });
    await host.connect({ cloud: { type: 'sdk' } });
    await using gateway = createGateway(host, { trustedCaller: { id: 'ann' } });
    const request = new Request(
      `http://localhost${path}`,
      requestOf('tools/call', { name, arguments: { region: 'eu' } }),
    );
    request.headers.set('mcp-param-region', 'us');
    expect([(await gateway.fetch(request)).status, calls]).toEqual([400, 0]);
  });
});
