import { FittingsError } from '@mcp-fittings/client-core';
import { checkServerUrl, isLoopbackHost, secureUrl } from '@mcp-fittings/toolbox/connect';
import { describe, expect, it } from 'vitest';

const errorOf = (run: () => unknown): FittingsError => {
  try {
    run();
  } catch (error) {
    if (error instanceof FittingsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('the URL of a server', () => {
  it.each([
    'https://alice:hunter2-secret@example.com/mcp',
    'https://hunter2-secret@example.com/mcp',
    'https://:hunter2-secret@example.com/',
  ])('is refused with userinfo, and the error does not repeat it: %s', (url) => {
    const error = errorOf(() => checkServerUrl(url));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain('hunter2');
  });

  it.each([
    'https://example.com/mcp#part',
    'https://example.com/mcp#',
    'ftp://example.com/',
    'file:///etc/passwd',
  ])('is refused: %s', (url) => expect(errorOf(() => checkServerUrl(url)).code).toBe('CONFIG_INVALID'));

  it.each([
    '',
    'example.com',
    '//example.com/mcp',
    'javascript:alert(1)',
    'http://',
    'https://exa mple.com/?key=hunter2',
  ])('is refused when it is not an absolute http(s) URL, and is not repeated: %s', (url) => {
    const error = errorOf(() => checkServerUrl(url));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).not.toContain('hunter2');
  });

  it('is warned of when it is not encrypted and leads to a public host', () => {
    expect(checkServerUrl('http://example.com/mcp').warnings).toEqual([
      expect.stringContaining('example.com is not encrypted'),
    ]);
    for (const local of [
      'http://localhost:1/',
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://10.1.2.3/',
      'https://example.com/',
    ]) {
      expect(checkServerUrl(local).warnings, local).toEqual([]);
    }
  });

  it('is warned of when its name is not ASCII, in the form that a person reads', () => {
    // The first letter is a Cyrillic one.
    const { warnings, url } = checkServerUrl('https://аpple.com/mcp');
    expect(url.hostname).toBe('xn--pple-43d.com');
    expect(warnings).toEqual([expect.stringMatching(/xn--pple-43d\.com.*аpple\.com/)]);
  });

  it.each(['ws://127.0.0.1:1/mcp', 'wss://example.com/mcp'])(
    'may be one of a WebSocket, where that is asked for: %s',
    (url) => {
      expect(checkServerUrl(url, { scheme: 'ws' }).warnings).toEqual([]);
      expect(errorOf(() => checkServerUrl(url)).code).toBe('CONFIG_INVALID');
      const http = url.replace(/^ws/, 'http');
      expect(errorOf(() => checkServerUrl(http, { scheme: 'ws' })).hint).toContain('wss:');
    },
  );

  it('is warned of when a WebSocket to a public host is not encrypted', () => {
    for (const url of ['ws://example.com/', 'ws://203.0.113.7/', 'ws://[2002:a01:203::1]/']) {
      expect(checkServerUrl(url, { scheme: 'ws' }).warnings, url).toHaveLength(1);
    }
    for (const url of ['ws://10.1.2.3/', 'ws://192.168.0.1/', 'ws://[fd00::1]/', 'ws://app.localhost/']) {
      expect(checkServerUrl(url, { scheme: 'ws' }).warnings, url).toEqual([]);
    }
  });
});

describe('loopback', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    '127.0.0.1',
    '127.255.255.254',
    '[::1]',
    '::1',
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]',
  ])('%s is this machine', (host) => expect(isLoopbackHost(host)).toBe(true));

  it.each([
    'localhost.example.com',
    'notlocalhost',
    '0.0.0.0',
    '128.0.0.1',
    '10.0.0.1',
    '[::]',
    '[::2]',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '',
  ])('%s is not', (host) => expect(isLoopbackHost(host)).toBe(false));
});

it.each([
  ['https://as.example/a?b#c', true],
  ['http://localhost:8080/', true],
  ['http://as.example/', false],
  ['https://me@as.example/', false],
  ['https://:word@as.example/', false],
  ['http://:word@localhost/', false],
  ['ftp://localhost/', false],
  ['as.example', false],
])('%s is a secure URL: %s', (text, isSecure) => expect(secureUrl(text) !== undefined).toBe(isSecure));
