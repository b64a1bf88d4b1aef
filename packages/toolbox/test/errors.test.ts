import { FittingsError, TransportError } from '@mcp-fittings/client-core';
import { classifySystemError, restateError } from '@mcp-fittings/toolbox/errors';
import { describe, expect, it } from 'vitest';

describe('classifySystemError', () => {
  const coded = (code: string): Error => Object.assign(new Error('x'), { code });

  it.each([
    ['ECONNREFUSED', 'CONNECTION_REFUSED'],
    ['EPIPE', 'CONNECTION_LOST'],
    ['ENOTFOUND', 'HOST_NOT_FOUND'],
    ['EAI_AGAIN', 'CONNECT_FAILED'],
    ['UND_ERR_CONNECT_TIMEOUT', 'TIMEOUT'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS_FAILED'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS_FAILED'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS_FAILED'],
    ['CERT_HAS_EXPIRED', 'TLS_FAILED'],
    ['HOSTNAME_MISMATCH', 'TLS_FAILED'],
    ['INVALID_CA', 'TLS_FAILED'],
    ['CRL_HAS_EXPIRED', 'TLS_FAILED'],
    ['toString', undefined],
    ['__proto__', undefined],
    ['EWHATEVER', undefined],
  ])('%s is %s', (code, ours) => expect(classifySystemError(coded(code))).toBe(ours));

  it('looks at causes and at the first of several errors', () => {
    expect(classifySystemError(new TypeError('fetch failed', { cause: coded('ECONNRESET') }))).toBe(
      'CONNECTION_LOST',
    );
    expect(classifySystemError(new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')]))).toBe(
      'CONNECTION_REFUSED',
    );
    expect(classifySystemError(AbortSignal.abort().reason)).toBe('ABORTED');
    expect(classifySystemError(new DOMException('x', 'TimeoutError'))).toBe('TIMEOUT');
  });

  it('handles a cyclic cause, and values that are not errors', () => {
    const loop = new Error('x');
    loop.cause = loop;
    for (const value of [loop, undefined, null, 'ECONNRESET', 7])
      expect(classifySystemError(value)).toBeUndefined();
  });
});

it('an error is restated with what the caller knows, and keeps all else', () => {
  const lost = new TransportError('CONNECTION_LOST', 'The connection ended.', {
    kind: 'config',
    retryable: false,
    hint: 'Restart the server.',
    server: 'notes',
    delivery: 'unknown',
    details: { exitCode: 3 },
  });
  const restated = restateError(lost, { delivery: 'not-sent' });
  expect(restated).toBeInstanceOf(FittingsError);
  expect(restated).toMatchObject({
    name: 'FittingsError',
    code: 'CONNECTION_LOST',
    message: 'The connection ended.',
    kind: 'config',
    retryable: false,
    hint: 'Restart the server.',
    server: 'notes',
    delivery: 'not-sent',
    details: { exitCode: 3 },
    cause: lost,
  });
  expect(restateError(lost, { server: 'mail', hint: 'Wait.' })).toMatchObject({
    server: 'mail',
    hint: 'Wait.',
    delivery: 'unknown',
  });
});
