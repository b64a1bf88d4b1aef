import { describe, expect, it } from 'vitest';
import { chooseProxy } from '@mcp-fittings/toolbox/connect';

const choose = (url: string, env: Record<string, string>, proxy = 'env'): string | undefined =>
  chooseProxy(new URL(url), { proxy, env })?.host;

describe('which proxy', () => {
  it('is said by the environment, in either case, the lower one first', () => {
    expect(choose('http://a.test/', { http_proxy: 'http://low:1', HTTP_PROXY: 'http://up:2' })).toBe('low:1');
    expect(choose('http://a.test/', { HTTP_PROXY: 'http://up:2' })).toBe('up:2');
    expect(choose('https://a.test/', { HTTP_PROXY: 'http://up:2' })).toBeUndefined();
    expect(choose('https://a.test/', { HTTPS_PROXY: 'up:3' })).toBe('up:3');
    expect(choose('wss://a.test/', { HTTPS_PROXY: 'http://up:3' })).toBe('up:3');
    expect(choose('ws://a.test/', { http_proxy: 'http://up:3' })).toBe('up:3');
    expect(choose('https://a.test/', { ALL_PROXY: 'https://all' })).toBe('all');
    expect(choose('ws://a.test/', { ALL_PROXY: 'all:3' })).toBe('all:3');
    expect(choose('https://a.test/', { https_proxy: '  ' })).toBeUndefined();
    expect(choose('https://a.test/', {})).toBeUndefined();
  });

  it('is never one for loopback, unless it was configured', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'x.localhost']) {
      expect(choose(`http://${host}:1/`, { http_proxy: 'http://p:1' }), host).toBeUndefined();
    }
    expect(choose('http://localhost:1/', {}, 'http://p:9')).toBe('p:9');
  });

  it('is not used when `none` is configured', () => {
    expect(choose('http://a.test/', { http_proxy: 'http://p:1' }, 'none')).toBeUndefined();
  });

  it.each([
    ['*', true],
    ['a.test', true],
    ['.a.test', true],
    ['*.a.test', true],
    ['A.TEST', true],
    ['test', true],
    ['other.test, a.test', true],
    ['other.test a.test', true],
    ['a.test:8080', true],
    ['a.test:80', false],
    ['sub.a.test', false],
    ['xa.test', false],
    ['a.test.evil', false],
    ['', false],
    [',,', false],
    ['.', false],
    ['[', false],
    ['10.0.0.0/33', false],
    ['10.0.0.0/', false],
  ])('NO_PROXY=%s covers a.test:8080: %s', (noProxy, covered) => {
    const found = choose('http://a.test:8080/', { http_proxy: 'http://p:1', no_proxy: noProxy });
    expect(found === undefined).toBe(covered);
  });

  it.each([
    ['http://xa.test/', 'a.test', false],
    ['http://x.a.test/', 'a.test', true],
    ['http://a.test.evil/', 'a.test', false],
    ['http://10.1.2.3/', '10.0.0.0/8', true],
    ['http://10.1.2.3/', '10.1.2.3', true],
    ['http://10.1.2.3/', '10.1.2.3:80', true],
    ['https://10.1.2.3/', '10.1.2.3:80', false],
    ['http://11.1.2.3/', '10.0.0.0/8', false],
    ['http://[fd00::1]/', 'fd00::/8', true],
    ['http://[fd00::1]/', '[fd00::1]', true],
    ['http://[fd00::1]/', '[fd00::1]:80', true],
    ['http://10.1.2.3/', '11.0.0.0/', false],
    ['http://[fd00::1]/', '[fd00::1]:81', false],
    ['wss://a.test/', 'a.test:443', true],
    ['wss://a.test/', 'a.test:80', false],
    ['ws://a.test/', 'a.test:80', true],
    ['wss://a.test:8443/', 'a.test', true],
  ])('%s and NO_PROXY=%s: %s', (url, noProxy, covered) => {
    const env = { http_proxy: 'http://p:1', https_proxy: 'http://p:1', NO_PROXY: noProxy };
    expect(choose(url, env) === undefined).toBe(covered);
  });

  it.each(['socks5://p:1', 'ftp://p', 'http://', 'not a url'])(
    'is refused when it is not an http(s) URL: %s',
    (proxy) => {
      const error = expect.objectContaining({ code: 'CONFIG_INVALID' });
      expect(() => choose('http://a.test/', {}, proxy)).toThrow(error);
      expect(() => choose('http://a.test/', { HTTP_PROXY: proxy })).toThrow(error);
    },
  );

  it('the refusal names the source and not the password', () => {
    expect(() => choose('http://a.test/', { HTTP_PROXY: 'socks5://u:canary@p' })).toThrow(/HTTP_PROXY/);
    expect(() => choose('http://a.test/', { HTTP_PROXY: 'socks5://u:canary@p' })).not.toThrow(/canary/);
  });
});
