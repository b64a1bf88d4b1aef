import { describe, expect, it } from 'vitest';
import { encodeFieldValue, streamHeaders } from '../src/headers.js';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { MODERN, modernParams } from './support/modern.js';
import { scriptedServer } from './support/scripted-server.js';

const decode = (value: unknown): string => {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(String(value)) ?? [];
  return base64 === undefined ? String(value) : Buffer.from(base64, 'base64').toString('utf8');
};

describe('the headers of the stateless revision', () => {
  it('repeat revision, method and name of the message', async () => {
    await using server = await scriptedServer();
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await caller.request('tools/call', modernParams({ name: 'add' }));
    await caller.request('prompts/get', modernParams({ name: 'greet' }));
    await caller.request('resources/read', modernParams({ uri: 'file:///a b' }));
    await caller.request('tasks/get', modernParams({ taskId: 't1' }));
    await caller.request('tools/list', modernParams());
    const seen = server.received.map(({ headers }) => [
      headers['mcp-protocol-version'],
      headers['mcp-method'],
      headers['mcp-name'],
    ]);
    expect(seen).toEqual([
      [MODERN, 'tools/call', 'add'],
      [MODERN, 'prompts/get', 'greet'],
      [MODERN, 'resources/read', 'file:///a b'],
      [MODERN, 'tasks/get', 't1'],
      [MODERN, 'tools/list', undefined],
    ]);
  });

  it('follow the message, whatever revision the connection has', async () => {
    await using server = await scriptedServer({ session: 's' });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await connect(transport);
    await caller.request('tools/call', modernParams({ name: 'add' }));
    await caller.request('tools/call', { name: 'add' });
    const [stateless, stateful] = server.of('tools/call');
    expect(stateless?.headers).toMatchObject({ 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call' });
    expect(stateless?.headers['mcp-session-id']).toBeUndefined();
    expect(stateful?.headers).toMatchObject({ 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': 's' });
    expect(stateful?.headers['mcp-method']).toBeUndefined();
    expect(stateful?.headers['mcp-name']).toBeUndefined();
  });

  it('are sent with notifications of a connection of that revision, which opens no stream and ends no session', async () => {
    await using server = await scriptedServer({ session: 'unasked' });
    const transport = createHttpTransport({ url: server.url });
    await using caller = await startCaller(transport);
    transport.setProtocolVersion?.(MODERN);
    await caller.request('server/discover', modernParams());
    await caller.notify('notifications/initialized');
    await caller.request('tools/list', modernParams());
    await transport.close();
    expect(server.of('notifications/initialized')[0]?.headers).toMatchObject({
      'mcp-protocol-version': MODERN,
      'mcp-method': 'notifications/initialized',
    });
    expect(server.of('GET')).toHaveLength(0);
    expect(server.of('DELETE')).toHaveLength(0);
    expect(server.received.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
  });
});

describe('the base64 sentinel', () => {
  it.each([
    ['plain', 'us-west1', 'us-west1'],
    ['empty', '', ''],
    ['inner space and tab', 'a b\tc', 'a b\tc'],
    ['beyond ASCII', 'Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    ['leading space', ' padded', '=?base64?IHBhZGRlZA==?='],
    ['trailing space', 'padded ', '=?base64?cGFkZGVkIA==?='],
    ['a line break', 'a\r\nInjected: 1', '=?base64?YQ0KSW5qZWN0ZWQ6IDE=?='],
    ['the look of the sentinel', '=?base64?SGk=?=', '=?base64?PT9iYXNlNjQ/U0drPT89?='],
    ['a lone NUL', '\0', '=?base64?AA==?='],
  ])('encodes %s', (_, value, encoded) => {
    expect(encodeFieldValue(value)).toBe(encoded);
    expect(decode(encoded)).toBe(value);
  });

  it('carries a tool name with a line break, and no header of its own making', async () => {
    await using server = await scriptedServer();
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const name = 'tool\r\nX-Injected: yes';
    await caller.request('tools/call', modernParams({ name }));
    const { headers } = server.received[0]!;
    expect(decode(headers['mcp-name'])).toBe(name);
    expect(headers['x-injected']).toBeUndefined();
  });

  it('refuses a name of 64 KB before it is sent, with a clear error', async () => {
    await using server = await scriptedServer();
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(
      caller.request('tools/call', modernParams({ name: 'x'.repeat(65_536) })),
    ).rejects.toMatchObject({
      code: 'HEADER_INVALID',
      delivery: 'not-sent',
      message: expect.stringContaining('8192') as string,
    });
    expect(server.received).toHaveLength(0);
  });
});

describe('C.2 the headers of one send', () => {
  it('are applied, except those that are not the caller’s', async () => {
    await using server = await scriptedServer({ session: 's' });
    await using caller = await connect(createHttpTransport({ url: server.url, apiKey: 'the-right-key' }));
    const headers = {
      'Mcp-Param-Region': 'eu',
      'X-Trace': '1',
      Authorization: 'Bearer stolen',
      'MCP-Session-Id': 'other',
      'MCP-Protocol-Version': '1999-01-01',
      'Mcp-Method': 'x',
      'Mcp-Name': 'x',
      DPoP: 'x',
      'Content-Type': 'text/plain',
      Accept: 'text/html',
      'Last-Event-ID': 'x',
    };
    await caller.request('tools/list', {}, { headers });
    const seen = server.of('tools/list')[0]!.headers;
    expect(seen).toMatchObject({
      'mcp-param-region': 'eu',
      'x-trace': '1',
      authorization: 'Bearer the-right-key',
      'mcp-session-id': 's',
      'mcp-protocol-version': '2025-11-25',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    for (const name of ['mcp-method', 'mcp-name', 'dpop', 'last-event-id'])
      expect(seen[name]).toBeUndefined();
  });

  it('encode an argument that HTTP could not carry, and leave an encoded one alone', async () => {
    await using server = await scriptedServer();
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    const headers = { 'Mcp-Param-City': 'Zürich', 'Mcp-Param-Done': encodeFieldValue('Zürich') };
    await caller.request('tools/call', modernParams({ name: 'x' }), { headers });
    const seen = server.received[0]!.headers;
    expect(decode(seen['mcp-param-city'])).toBe('Zürich');
    expect(decode(seen['mcp-param-done'])).toBe('Zürich');
  });

  it('fail the message when they are malformed otherwise', async () => {
    await using server = await scriptedServer();
    await using caller = await startCaller(createHttpTransport({ url: server.url }));
    await expect(
      caller.request('tools/list', {}, { headers: { 'x-bad': 'a\r\nX-Injected: 1' } }),
    ).rejects.toMatchObject({ code: 'HEADER_INVALID', delivery: 'not-sent' });
    expect(server.received).toHaveLength(0);
  });
});

it('an event id goes into a header as UTF-8', () => {
  const headerOf = (id: string): string => streamHeaders(undefined, id)['last-event-id'] ?? '';
  expect(headerOf('plain-1')).toBe('plain-1');
  expect(Buffer.from(headerOf('ä€'), 'latin1').toString()).toBe('ä€');
  expect(headerOf('ä€😀')).toMatch(/^[\x20-\xff]+$/);
});
