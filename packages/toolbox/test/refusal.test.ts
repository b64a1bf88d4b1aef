import { describe, expect, it } from 'vitest';
import { createStatusTable, type ReplyHead } from '@mcp-fittings/toolbox/refusal';
import { createRedactor, type Redactor } from '@mcp-fittings/toolbox/text';
import { readRefusal, refusalError } from '../src/refusal/refusal.js';

const NOW = Date.parse('2026-11-20T10:00:00Z');

describe('a status that means failure', () => {
  const head = (status: number, headers: Record<string, string> = {}): ReplyHead => ({
    status,
    url: new URL('https://example.com/mcp?key=canary'),
    header: (name) => headers[name],
  });
  const errorOf = (answer: ReplyHead, text = '', redact: Redactor = (said) => said) => {
    const request = { what: 'POST', safe: true, table: createStatusTable([]) };
    return refusalError(readRefusal({ accepted: false, head: answer, text }, request, NOW), redact);
  };

  it.each<[number, string | undefined, string, string, boolean]>([
    [400, undefined, 'HTTP_STATUS', 'rejected', false],
    [401, undefined, 'AUTH_REJECTED', 'rejected', false],
    [404, undefined, 'HTTP_STATUS', 'rejected', false],
    [408, undefined, 'HTTP_STATUS', 'unknown', true],
    [418, undefined, 'HTTP_STATUS', 'rejected', false],
    [429, undefined, 'RATE_LIMITED', 'rejected', true],
    [429, '2', 'RATE_LIMITED', 'rejected', true],
    [500, undefined, 'SERVER_ERROR', 'unknown', true],
    [502, '2', 'SERVER_ERROR', 'unknown', true],
    [503, undefined, 'SERVER_ERROR', 'unknown', true],
    [503, '2', 'RATE_LIMITED', 'rejected', true],
    [302, undefined, 'HTTP_STATUS', 'unknown', false],
  ])('%i with Retry-After %s is %s', (status, retryAfter, code, delivery, retryable) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    const error = errorOf(head(status, headers));
    expect(error).toMatchObject({
      code,
      delivery,
      retryable,
      details: { status, url: 'https://example.com' },
    });
    expect(error.details['retryAfterMs']).toBe(retryAfter === undefined ? undefined : 2000);
  });

  it('has the members that a program written for SDK v2 reads, unseen in an inspection', () => {
    const error = errorOf(head(404), 'gone');
    expect(error).toMatchObject({
      status: 404,
      data: { status: 404, text: 'gone' },
    });
    expect(Object.keys(error)).not.toContain('data');
    const brands = Symbol.for('mcp.sdk.errorBrands');
    expect(Reflect.get(error, brands)).toEqual(new Set(['mcp.SdkError', 'mcp.SdkHttpError']));
    // It would take a busy server for an older one.
    expect(Reflect.get(errorOf(head(429)), brands)).toBeUndefined();
  });

  it('removes our secrets before it cuts', () => {
    const body = `${'x'.repeat(190)}canary-secret`;
    const error = errorOf(head(400), body, createRedactor(['canary-secret']));
    expect(error.message).not.toContain('can');
  });

  it('shows a piece of the body, harmless and short, and nothing of the URL but its origin', () => {
    const body = `\u001b]0;title\u0007Nope\u202e ${'x'.repeat(100_000)}`;
    const { message } = errorOf(head(400), body);
    expect(message).toMatch(/^The server answered POST with 400 Bad Request: Nope x+…$/);
    expect(message.length).toBeLessThan(300);
    expect(message).not.toMatch(/canary|title/);
  });
});
