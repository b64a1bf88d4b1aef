import {
  isErrorResponse,
  isMessage,
  isNotification,
  isRequest,
  isRequestId,
  isResponse,
  isResultResponse,
  shapeOf,
} from '@mcp-fittings/toolbox/messages';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { anything, assert, constantFrom, jsonValue, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../scripts/rounds.js';

const base = { jsonrpc: '2.0' } as const;

describe('shapeOf', () => {
  it.each([
    ['request', { ...base, id: 1, method: 'x' }],
    ['request', { ...base, id: '', method: 'x', params: {} }],
    ['notification', { ...base, method: 'x', params: { a: [1] } }],
    ['result', { ...base, id: 0, result: {} }],
    ['error', { ...base, id: 'a', error: { code: -32601, message: '' } }],
    ['error', { ...base, error: { code: -32700, message: 'unreadable', data: null } }],
    ['error', { ...base, id: null, error: { code: -32700, message: 'unreadable' } }],
    ['request', { ...base, id: 1, method: 'x', result: undefined, error: undefined }],
    ['notification', { ...base, id: undefined, method: 'x', params: undefined, result: undefined }],
    ['result', { ...base, id: 1, method: undefined, result: {}, error: undefined }],
    ['error', { ...base, id: 1, method: undefined, result: undefined, error: { code: 1, message: '' } }],
  ])('takes a %s for what it is', (shape, value) => expect(shapeOf(value)).toBe(shape));

  it.each([
    ['id is null', { ...base, id: null, method: 'x' }],
    ['id is an object', { ...base, id: {}, result: {} }],
    ['id is a list', { ...base, id: [1], result: {} }],
    ['id is a boolean', { ...base, id: true, result: {} }],
    ['id is 1e400', JSON.parse('{"jsonrpc":"2.0","id":1e400,"result":{}}')],
    ['result without id', { ...base, result: {} }],
    ['result and error', { ...base, id: 1, result: {}, error: { code: 1, message: '' } }],
    ['result and method', { ...base, id: 1, method: 'x', result: {} }],
    ['error and method', { ...base, id: 1, method: 'x', error: { code: 1, message: '' } }],
    ['method is not a string', { ...base, id: 1, method: null }],
    ['params are a list', { ...base, id: 1, method: 'x', params: [] }],
    ['params are null', { ...base, id: 1, method: 'x', params: null }],
    ['result is a list', { ...base, id: 1, result: [] }],
    ['result is null', { ...base, id: 1, result: null }],
    ['error code is a fraction', { ...base, id: 1, error: { code: 1.5, message: '' } }],
    [
      'error code is too large for a number',
      { ...base, id: 1, error: { code: Number.POSITIVE_INFINITY, message: '' } },
    ],
    ['error is null', { ...base, id: 1, error: null }],
    ['wrong version', { jsonrpc: 2, id: 1, result: {} }],
    ['nothing in it', base],
    ['a list', [base]],
    ['null', null],
  ])('refuses: %s', (_, value) => expect(shapeOf(value)).toBe('invalid'));

  const part = oneof(jsonValue({ maxDepth: 2 }), constantFrom(undefined, 1, 'a', '2.0', {}));
  const nearlyMessage = record(
    {
      jsonrpc: oneof(constantFrom('2.0' as const), part),
      id: part,
      method: part,
      params: part,
      result: part,
      error: oneof(part, record({ code: part, message: part })),
    },
    { requiredKeys: [] },
  );

  it('never throws, and accepts only well-formed messages', () => {
    assert(
      property(oneof(nearlyMessage, anything()), (value) => {
        const shape = shapeOf(value);
        expect(isMessage(value)).toBe(shape !== 'invalid');
        if (!isMessage(value)) return;
        expect(isRequest(value)).toBe(shape === 'request');
        expect(isNotification(value)).toBe(shape === 'notification');
        expect(isResponse(value)).toBe(shape === 'result' || shape === 'error');
        expect(isResultResponse(value)).toBe(shape === 'result');
        expect(isErrorResponse(value)).toBe(shape === 'error');
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('accepts every message that the schema of SDK v1 accepts', () => {
    assert(
      property(nearlyMessage, (value) => {
        // What went over a wire has no members without a value.
        const sent: unknown = JSON.parse(JSON.stringify(value));
        if (JSONRPCMessageSchema.safeParse(sent).success) expect(shapeOf(sent)).not.toBe('invalid');
      }),
      { numRuns: rounds(5000) },
    );
  });
});

describe('isRequestId', () => {
  it('accepts strings and finite numbers only', () => {
    expect(['', 'a', 0, -1, 1.5].every(isRequestId)).toBe(true);
    expect([null, undefined, NaN, Infinity, true, {}, [], 1n].some(isRequestId)).toBe(false);
  });
});
