import { FittingsError } from '@mcp-fittings/client-core';
import { checkHeaders } from '@mcp-fittings/toolbox/connect';
import { describe, expect, it } from 'vitest';

const SECRET = 'canary-3f1b';

describe('configured headers', () => {
  it.each<[string, Record<string, string>]>([
    ['CR/LF in a value', { 'x-a': `${SECRET}\r\nx-evil: 1` }],
    ['LF in a value', { 'x-a': `${SECRET}\nx-evil: 1` }],
    ['NUL in a value', { 'x-a': `${SECRET}\0` }],
    ['a character outside of Latin-1', { 'x-a': `${SECRET}中` }],
    ['CR/LF in a name', { 'x-a\r\nx-evil': SECRET }],
    ['a blank in a name', { 'x a': SECRET }],
    ['a colon in a name', { 'x:a': SECRET }],
    ['an empty name', { '': SECRET }],
    ['Host', { Host: SECRET }],
    ['Content-Length', { 'Content-Length': '1' }],
    ['Connection', { connection: 'close' }],
    ['Transfer-Encoding', { 'TRANSFER-ENCODING': 'chunked' }],
    ['Upgrade', { upgrade: 'h2c' }],
    ['Expect', { expect: '100-continue' }],
    ['Proxy-Authorization', { 'proxy-authorization': SECRET }],
    ['the same name in two spellings', { 'X-A': '1', 'x-a': '2' }],
  ])('are refused: %s', (_, headers) => {
    const use = () => checkHeaders(headers, { server: 'one' });
    expect(use).toThrow(FittingsError);
    try {
      use();
    } catch (error) {
      expect(error).toMatchObject({ code: 'HEADER_INVALID', kind: 'config', server: 'one' });
      // A name is shown, on one line; a value never is.
      expect((error as Error).message).not.toMatch(/[\r\n\0]/);
      if (!Object.keys(headers).some((name) => name.includes(SECRET))) {
        expect((error as Error).message).not.toContain(SECRET);
      }
    }
  });

  it('are refused when they are not text, as a configuration file may have it', () => {
    const headers = { 'x-a': 1 } as unknown as Record<string, string>;
    expect(() => checkHeaders(headers)).toThrow(expect.objectContaining({ code: 'HEADER_INVALID' }));
  });

  it('are refused when a transport sets them itself', () => {
    expect(() => checkHeaders({ 'Mcp-Session-Id': 'x' }, { reserved: ['mcp-session-id'] })).toThrow(
      expect.objectContaining({ code: 'HEADER_INVALID' }),
    );
  });

  it('are refused when they begin as a reserved family does', () => {
    const reserved = ['sec-websocket-*'];
    expect(() => checkHeaders({ 'Sec-WebSocket-Key': 'x' }, { reserved })).toThrow(
      expect.objectContaining({ code: 'HEADER_INVALID' }),
    );
    expect(checkHeaders({ 'Sec-Web': 'x' }, { reserved })).toEqual({ 'sec-web': 'x' });
  });

  it('get lower-case names', () => {
    expect(checkHeaders({ 'X-Key': 'a\tbÿ', Empty: '' })).toEqual({ 'x-key': 'a\tbÿ', empty: '' });
  });
});
