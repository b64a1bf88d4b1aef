import { describe, expect, it } from 'vitest';
import { createStatusTable, findInBandError, isSafeToRepeat } from '@mcp-fittings/toolbox/refusal';
import { readRefusal } from '../src/refusal/refusal.js';

const NO_TOOL = { code: -32_602, message: 'no such tool' };

/** Returns the answer that a refusal with this body is to the request with the id 7. */
function answerTo(method: string, status: number, body: object | string, stateless = false): unknown {
  const head = { status, url: new URL('https://example.com/mcp'), header: () => undefined };
  const text = typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', ...body });
  const request = { what: 'POST', safe: false, table: createStatusTable([]) };
  const refusal = readRefusal({ accepted: false, head, text }, request, 0);
  return findInBandError({ jsonrpc: '2.0', id: 7, method }, refusal, stateless);
}

describe('an error in the body of a refusal', () => {
  it.each([false, true])('is the answer if it has the id of the request; stateless: %s', (stateless) => {
    const answer = { jsonrpc: '2.0', id: 7, error: NO_TOOL };
    expect(answerTo('tools/call', 400, { id: 7, error: NO_TOOL }, stateless)).toEqual(answer);
  });

  it.each([8, '8', '', 'server-error'])('is not the answer if it has the id %j of another request', (id) => {
    for (const stateless of [false, true]) {
      for (const status of [400, 404, 422])
        expect(answerTo('tools/call', status, { id, error: NO_TOOL }, stateless)).toBeUndefined();
    }
  });

  it.each([null, undefined])('without an id (%s) is the answer of a stateless server only', (id) => {
    const body = { ...(id !== undefined && { id }), error: NO_TOOL };
    expect(answerTo('tools/call', 400, body, false)).toBeUndefined();
    expect(answerTo('tools/call', 400, body, true)).toMatchObject({ id: 7, error: NO_TOOL });
    expect(answerTo('tools/call', 500, body, true)).toBeUndefined();
  });

  it('with a 5xx is the answer of a stateless server only', () => {
    expect(answerTo('tools/call', 500, { id: 7, error: NO_TOOL }, false)).toBeUndefined();
    expect(answerTo('tools/call', 500, { id: 7, error: NO_TOOL }, true)).toMatchObject({ error: NO_TOOL });
  });

  it.each([401, 403, 429])('with %i is never the answer', (status) => {
    for (const stateless of [false, true])
      expect(answerTo('tools/call', status, { id: 7, error: NO_TOOL }, stateless)).toBeUndefined();
  });

  it('is made up for server/discover, which older servers refuse in any way', () => {
    expect(answerTo('server/discover', 404, 'nothing here')).toMatchObject({
      id: 7,
      error: { code: -32_601 },
    });
    expect(answerTo('server/discover', 400, { id: 8, error: NO_TOOL })).toMatchObject({
      id: 7,
      error: { code: -32_601 },
    });
    expect(answerTo('server/discover', 499, '')).toMatchObject({ error: { message: 'HTTP 499' } });
    expect(answerTo('server/discover', 500, 'broken')).toBeUndefined();
  });
});

describe('a message that may be carried out twice', () => {
  const request = (method: string) => isSafeToRepeat({ jsonrpc: '2.0', id: 1, method });

  it.each(['initialize', 'ping', 'tools/list', 'resources/read', 'prompts/get', 'tasks/result'])(
    '%s',
    (method) => expect(request(method)).toBe(true),
  );

  it('a notification of the protocol, and a response', () => {
    expect(isSafeToRepeat({ jsonrpc: '2.0', method: 'notifications/cancelled' })).toBe(true);
    expect(isSafeToRepeat({ jsonrpc: '2.0', id: 1, result: {} })).toBe(true);
  });

  it.each(['tools/call', 'tasks/update', 'custom/method', 'notifications/x', 'constructor', ''])(
    'is not the request %j',
    (method) => expect(request(method)).toBe(false),
  );

  it('is not a notification of another kind', () => {
    expect(isSafeToRepeat({ jsonrpc: '2.0', method: 'custom/event' })).toBe(false);
  });
});
