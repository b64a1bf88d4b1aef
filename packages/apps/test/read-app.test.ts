import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { APP_MIME_TYPE, appsExtension, readApp } from '@mcp-fittings/apps';
import type { ResourceContents } from '@mcp-fittings/host';

const uri = 'ui://weather/dashboard';
const html = '<!doctype html><title>☂</title>';
const read = (content: Partial<ResourceContents>, options = {}) =>
  readApp(uri, { contents: [{ uri, mimeType: APP_MIME_TYPE, ...content }] }, options, { server: 'weather' });
const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');

describe('the resource of an app', () => {
  it('is text or base64, and has a digest', () => {
    const digest = `sha256:${createHash('sha256').update(html).digest('hex')}`;
    expect(read({ text: html })).toMatchObject({ uri, html, digest });
    expect(read({ blob: base64(html) })).toMatchObject({ uri, html, digest });
    expect(read({ text: 'invalid' }).html).toBe('invalid');
  });

  it.each(['text/html; profile=mcp-app', 'TEXT/HTML;profile="mcp-app"', ' text/html ;profile=mcp-app'])(
    'may write its media type as %j',
    (mimeType) => expect(read({ text: html, mimeType }).html).toBe(html),
  );

  it.each([
    undefined,
    '',
    'text/html',
    'text/html+skybridge',
    'text/html;profile=mcp-app2',
    'text/html;profile=mcp-app;charset=utf-7',
    'text/html;charset=utf-7;profile=mcp-app',
    'application/xhtml+xml;profile=mcp-app',
    'text/uri-list',
    `text/html;profile=mcp-app${' '.repeat(1_000)}`,
  ])('is refused with the media type %j', (mimeType) => {
    expect(() => read({ text: html, mimeType })).toThrow(
      expect.objectContaining({ code: 'PROTOCOL_VIOLATION', server: 'weather' }),
    );
  });

  it.each([
    ['no content', []],
    ['content of another URI', [{ uri: 'ui://weather/other', mimeType: APP_MIME_TYPE, text: html }]],
    ['neither text nor data', [{ uri, mimeType: APP_MIME_TYPE }]],
    ['data that is not base64', [{ uri, mimeType: APP_MIME_TYPE, blob: '<p>' }]],
    ['data that is not UTF-8', [{ uri, mimeType: APP_MIME_TYPE, blob: base64(Uint8Array.of(0xff, 0xfe)) }]],
  ])('is refused with %s', (_name, contents) => {
    expect(() => readApp(uri, { contents })).toThrow(expect.objectContaining({ code: 'PROTOCOL_VIOLATION' }));
  });

  it('is the content with its URI, wherever it stands', () => {
    const contents = [
      { uri: 'ui://weather/other', mimeType: APP_MIME_TYPE, text: 'other' },
      { uri, mimeType: APP_MIME_TYPE, text: html },
    ];
    expect(readApp(uri, { contents }).html).toBe(html);
  });

  it.each([
    'https://weather/dashboard',
    'ui://',
    'ui://a b',
    'ui://a\n',
    'UI://a',
    `ui://${'a'.repeat(3_000)}`,
  ])('is refused with the URI %j', (other) => {
    const contents = [{ uri: other, mimeType: APP_MIME_TYPE, text: html }];
    expect(() => readApp(other, { contents })).toThrow(
      expect.objectContaining({ code: 'PROTOCOL_VIOLATION' }),
    );
  });

  it('has at most maxHtmlBytes bytes, counted as UTF-8', () => {
    const text = '☂'.repeat(100);
    for (const content of [{ text }, { blob: base64(text) }]) {
      expect(read(content, { maxHtmlBytes: 300 }).html).toBe(text);
      expect(() => read(content, { maxHtmlBytes: 299 })).toThrow(
        expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }),
      );
    }
    expect(() => read({ text: 'a'.repeat(8 * 1024 * 1024 + 1) })).toThrow('8388608 bytes');
  });
});

it('the capability names the media type', () => {
  expect(appsExtension()).toEqual({
    'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
  });
});
