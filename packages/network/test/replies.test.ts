import { describe, expect, it } from 'vitest';
import { statusError, type ResponseHead } from '../src/index.js';

const NOW = Date.parse('2026-11-20T10:00:00Z');

describe('a status that means failure', () => {
  const head = (status: number, headers: Record<string, string> = {}): ResponseHead => ({
    status,
    contentType: 'text/plain',
    url: new URL('https://example.com/mcp?key=canary'),
    header: (name) => headers[name],
    headers: () => Object.entries(headers),
  });

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
    const error = statusError(head(status, headers), { now: NOW, server: 'one' });
    expect(error).toMatchObject({
      code,
      delivery,
      retryable,
      server: 'one',
      details: { status, url: 'https://example.com' },
    });
    expect(error.details['retryAfterMs']).toBe(retryAfter === undefined ? undefined : 2000);
  });

  it('has the members that a program written for SDK v2 reads, unseen in an inspection', () => {
    const error = statusError(head(404), { now: NOW, body: 'gone' });
    expect(error).toMatchObject({
      status: 404,
      data: { status: 404, text: 'gone' },
    });
    expect(Object.keys(error)).not.toContain('data');
    const brands = Symbol.for('mcp.sdk.errorBrands');
    expect(Reflect.get(error, brands)).toEqual(new Set(['mcp.SdkError', 'mcp.SdkHttpError']));
    // It would take a busy server for an older one.
    expect(Reflect.get(statusError(head(429), { now: NOW }), brands)).toBeUndefined();
  });

  it('removes our secrets before it cuts', () => {
    const body = `${'x'.repeat(190)}canary-secret`;
    const error = statusError(head(400), {
      now: NOW,
      body,
      redact: (text) => text.replaceAll('canary-secret', '*'),
    });
    expect(error.message).not.toContain('can');
  });

  it('shows a piece of the body, harmless and short, and nothing of the URL but its origin', () => {
    const body = `\u001b]0;title\u0007Nope\u202e ${'x'.repeat(100_000)}`;
    const { message } = statusError(head(400), { now: NOW, body, what: 'The message' });
    expect(message).toMatch(/^The message was answered with HTTP 400 by https:\/\/example\.com: Nope x+…$/);
    expect(message.length).toBeLessThan(300);
    expect(message).not.toMatch(/canary|title/);
  });
});
