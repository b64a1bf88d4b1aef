import { describe, expect, it } from 'vitest';
import { createHttpClient } from '../src/index.js';
import { startHttp } from './support/http-server.js';
import { request } from './support/request.js';

const SECRET = 'canary-3f1b';

describe('configured headers', () => {
  it('are sent as they are, tabs and Latin-1 included, under lower-case names', async () => {
    await using server = await startHttp((_, response) => response.end());
    await using network = createHttpClient({ url: server.origin, headers: { 'X-Key': 'a\tbÿ', Empty: '' } });
    await request(network, { url: new URL(server.origin), method: 'GET', headers: { 'x-own': '1' } });
    expect(server.seen[0]?.headers).toMatchObject({ 'x-key': 'a\tbÿ', empty: '', 'x-own': '1' });
  });

  it('are overridden by the headers of a request', async () => {
    await using server = await startHttp((_, response) => response.end());
    await using network = createHttpClient({ url: server.origin, headers: { Accept: 'a/a' } });
    await request(network, { url: new URL(server.origin), method: 'GET', headers: { accept: 'b/b' } });
    expect(server.seen[0]?.rawHeaders.filter((name) => name.toLowerCase() === 'accept')).toHaveLength(1);
    expect(server.seen[0]?.headers.accept).toBe('b/b');
  });

  it('a bad header of one request fails that request alone, and its value is not shown', async () => {
    await using server = await startHttp((_, response) => response.end('ok'));
    await using network = createHttpClient({ url: server.origin });
    const url = new URL(server.origin);
    const failed = request(network, { url, method: 'GET', headers: { 'x-a': `${SECRET}\r\n` } });
    await expect(failed).rejects.toMatchObject({ code: 'HEADER_INVALID', delivery: 'not-sent' });
    await expect(failed).rejects.not.toThrow(SECRET);
    expect((await request(network, { url, method: 'GET' })).text()).toBe('ok');
    expect(server.seen).toHaveLength(1);
  });
});
