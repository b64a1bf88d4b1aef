import type { AuthProvider } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { sse, type SseEntry } from '../src/index.js';
import { listen, request } from './support/session.js';
import { echoing, startSseServer } from './support/sse-server.js';

const auth: AuthProvider = {
  headers: () => Promise.resolve({ authorization: 'Bearer signed-in' }),
  onChallenge: () => Promise.resolve('retry'),
};

async function entryOf(value: object, plugin = sse()): Promise<SseEntry> {
  const result = await plugin.schema['~standard'].validate(value);
  if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

describe('the plugin', () => {
  it('serves the types sse and sse-ide', () => {
    expect(sse()).toMatchObject({ specVersion: 1, type: 'sse', aliases: ['sse-ide'] });
  });

  it('creates a transport from url, headers and apiKey, signed by the host if it has a provider', async () => {
    await using server = await startSseServer(echoing);
    const entry = await entryOf({
      type: 'sse',
      url: server.url,
      headers: { 'x-a': '1' },
      apiKey: 'k',
      disabled: false,
    });
    await using keyed = sse().create(entry, { server: 'one' });
    await keyed.start();
    await using signed = sse().create({ url: server.url }, { server: 'two', auth });
    listen(signed);
    await signed.start();
    await signed.send(request(1));
    expect(server.seen.map(({ headers }) => [headers['x-a'], headers.authorization])).toEqual([
      ['1', 'Bearer k'],
      [undefined, 'Bearer signed-in'],
      [undefined, 'Bearer signed-in'],
    ]);
  });

  it('sse-ide carries the name and the token of the IDE, and never the sign-in of the host', async () => {
    await using server = await startSseServer(echoing);
    const settings = { url: server.url, ideName: 'VS Code', authToken: 'ide-token' };
    for (const spelled of [{ type: 'sse-ide' }, { transportType: 'sse-ide' }]) {
      await using transport = sse().create(await entryOf({ ...settings, ...spelled }), {
        server: 'ide',
        auth,
      });
      listen(transport);
      await transport.start();
      await transport.send(request(1));
      expect(transport.describe?.()).toMatchObject({ ideName: 'VS Code' });
      expect(JSON.stringify(transport.describe?.())).not.toContain('ide-token');
    }
    expect(server.seen).toHaveLength(4);
    for (const { headers } of server.seen) {
      expect(headers['x-claude-code-ide-authorization']).toBe('ide-token');
      expect(headers.authorization).toBeUndefined();
    }
  });

  it('an entry of type sse has no use for the fields of an IDE, and the header has another name where that is set', async () => {
    await using server = await startSseServer(echoing);
    const settings = { url: server.url, ideName: 'VS Code', authToken: 'ide-token' };
    await using plain = sse().create({ ...settings, type: 'sse' }, { server: 'one' });
    await plain.start();
    await using other = sse({ ideTokenHeader: 'X-Ide' }).create(
      { ...settings, type: 'sse-ide' },
      { server: 'one' },
    );
    await other.start();
    expect(server.seen[0]?.headers['x-claude-code-ide-authorization']).toBeUndefined();
    expect(server.seen[1]?.headers['x-ide']).toBe('ide-token');
  });

  it.each([
    [{ url: '', apiKey: 'k' }, ['url']],
    [{ url: 'x', authToken: 5 }, ['authToken']],
  ])('refuses an entry such as %j', async (entry, path) => {
    const result = await sse().schema['~standard'].validate(entry);
    expect(result.issues?.map((issue) => issue.path)).toEqual([path]);
  });

  it('refuses an invalid URL, naming the server, and warns of one that is not encrypted', () => {
    expect(() => sse().create({ url: 'nonsense' }, { server: 'one' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', server: 'one' }),
    );
    const warned: string[] = [];
    const silent = () => undefined;
    const logger = {
      debug: silent,
      info: silent,
      error: silent,
      warn: (text: string) => void warned.push(text),
    };
    sse().create({ url: 'http://example.com/sse' }, { server: 'one', logger });
    expect(warned).toEqual([expect.stringContaining('not encrypted')]);
  });
});
