import { checkServerUrl, isSocketUrl, originOf } from '@mcp-fittings/toolbox/connect';
import { describe, expect, it } from 'vitest';

const isWindows = process.platform === 'win32';
const check = (url: string, scheme?: 'http' | 'ws') => checkServerUrl(url, { scheme, sockets: true });
const [SOCKET, PATH] = isWindows
  ? ['pipe:///pipe/name', String.raw`\\.\pipe\name`]
  : ['unix:///run/a.sock', '/run/a.sock'];

describe('the URL of a socket', () => {
  it.each([
    ['', '/'],
    ['#', '/'],
    ['#/mcp', '/mcp'],
    ['#mcp', '/mcp'],
    ['#/mcp/sub?key=a-secret', '/mcp/sub?key=a-secret'],
    ['#//evil.example/x', '//evil.example/x'],
  ])('has the path of the endpoint as its fragment: %j', (fragment, endpoint) => {
    const { url, shown, socketPath, warnings } = check(SOCKET + fragment);
    expect(socketPath).toBe(PATH);
    expect(url.href).toBe(`http://localhost${endpoint}`);
    expect(originOf(shown)).toBe(SOCKET);
    expect(warnings).toEqual([]);
    expect(check(SOCKET + fragment, 'ws').url.href).toBe(`ws://localhost${endpoint}`);
  });

  it.runIf(!isWindows)('has a path that may be percent-encoded', () => {
    expect(check('unix:///run/my%20server/%C3%BC.sock').socketPath).toBe('/run/my server/ü.sock');
    expect(check('UNIX:/run/a.sock').socketPath).toBe('/run/a.sock');
  });

  it.each([
    'unix:a.sock',
    'unix://a.sock',
    'unix://host/a.sock',
    'unix://ann:a-secret@/a.sock',
    'unix:///',
    'unix:///run/',
    'unix:///run/a.sock?key=a-secret',
    'unix:///run/a%00b.sock',
    'unix:///run/%zz.sock',
    'unix:///run/.%2Fdocker.sock',
    'unix:///run/a%2F..%2Fdocker.sock',
    'unix:///run/%2e%2Fdocker.sock',
    `unix:///${'a'.repeat(103)}`,
    'unix:///run/a.sock#/mcp#more',
    'pipe:///name',
    'pipe:///pipe/',
    'pipe://server/pipe/name',
    isWindows ? 'unix:///run/a.sock' : 'pipe:///pipe/name',
  ])('is refused, and not repeated: %s', (url) => {
    const refusal = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.not.stringContaining('secret') as unknown,
      hint: expect.any(String) as unknown,
    }) as Error;
    expect(() => check(url)).toThrow(refusal);
  });

  it('is refused where hosts only can be reached', () => {
    expect(() => checkServerUrl(SOCKET)).toThrow(/unsupported scheme (?:unix|pipe):/);
  });

  it('is told from other URLs by its scheme', () => {
    expect(['unix:///a', 'PIPE:///pipe/a', ' unix:/a'].every(isSocketUrl)).toBe(true);
    expect(['http://unix/', 'https://pipe:1/', 'unixx:///a'].some(isSocketUrl)).toBe(false);
  });
});
