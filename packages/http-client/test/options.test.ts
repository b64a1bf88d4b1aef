import { describe, expect, it } from 'vitest';
import { createHttpClient } from '../src/index.js';

describe('the URL of a server', () => {
  it('is checked when a network is made, and the warning reaches the logger without the query', () => {
    const warned: unknown[] = [];
    const silent = () => undefined;
    const logger = {
      debug: silent,
      info: silent,
      error: silent,
      warn: (...all: unknown[]) => warned.push(all),
    };
    createHttpClient({ url: 'http://example.com/mcp?key=hunter2', server: 'one', logger });
    expect(warned).toHaveLength(1);
    expect(JSON.stringify(warned)).toContain('"server":"one"');
    expect(JSON.stringify(warned)).not.toContain('hunter2');
  });

  it('is refused at once with userinfo', () => {
    expect(() => createHttpClient({ url: 'https://a:hunter2@example.com/', server: 'one' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', server: 'one' }),
    );
  });
});

it('a proxy that is not an http(s) URL is refused at once', () => {
  for (const options of [{ proxy: 'socks5://p:1' }, { env: { HTTP_PROXY: 'socks5://p:1' } }]) {
    expect(() => createHttpClient({ url: 'http://a.test/', ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  }
});
