import type { AuthProvider } from '@mcp-fittings/client-core';
import { ws, type WebSocketEntry } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { startProxy } from './support/connect-proxy.js';
import { startServer, TOKEN } from './support/mcp-server.js';
import { startDecidingServer } from './support/refusing-server.js';

function validate(entry: unknown): WebSocketEntry {
  const outcome = ws().schema['~standard'].validate(entry);
  if (outcome instanceof Promise || outcome.issues !== undefined) throw new Error('It is not valid.');
  return outcome.value;
}

describe('the plugin', () => {
  it('serves `ws`, `websocket` and `ws-ide`', () => {
    expect(ws()).toMatchObject({ specVersion: 1, type: 'ws', aliases: ['websocket', 'ws-ide'] });
  });

  it('checks an entry, and tells editors what belongs into it', () => {
    const { schema } = ws();
    expect(schema['~standard'].validate({ url: 'wss://host/', headers: { a: 1 }, apiKey: '' })).toMatchObject(
      {
        issues: [{ path: ['headers'] }, { path: ['apiKey'] }],
      },
    );
    expect(schema['~standard'].validate({})).toMatchObject({ issues: [{ path: ['url'] }] });
    expect(validate({ type: 'ws', url: 'wss://host/', disabled: false, other: 1 })).toEqual({
      type: 'ws',
      url: 'wss://host/',
    });
    expect(schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })).toMatchObject({
      required: ['url'],
      properties: { url: { type: 'string' }, headers: { type: 'object' } },
    });
  });

  it('passes entry, context and shared options on', async () => {
    await using server = await startDecidingServer(() => undefined);
    const asked: string[] = [];
    const auth: AuthProvider = {
      headers: async ({ url }) => {
        asked.push(url.href);
        return { 'X-Signed': 'yes' };
      },
      onChallenge: async () => 'retry',
    };
    const plugin = ws({ protocols: ['mcp.test', 'mcp'], network: { proxy: 'none' } });
    const entry = validate({
      type: 'ws',
      url: server.url,
      headers: { 'X-Team': 'blue' },
      apiKey: 'key-123456',
    });
    await using transport = plugin.create(entry, { server: 'remote', auth });
    await transport.start();
    expect(server.requests[0]?.headers).toMatchObject({
      'x-team': 'blue',
      'x-signed': 'yes',
      authorization: 'Bearer key-123456',
      'sec-websocket-protocol': 'mcp.test,mcp',
    });
    expect(asked).toHaveLength(1);
  });

  it('an entry says how its server is reached, and wins over what is shared', async () => {
    await using server = await startDecidingServer(() => undefined);
    await using proxy = await startProxy();
    const plugin = ws({ network: { proxy: 'none', timeouts: { headersMs: 1000 } } });
    const reached = { allowInsecure: true, proxy: `http://127.0.0.1:${proxy.port}`, connectTimeout: 5000 };
    const entry = validate({ url: server.url.replace('127.0.0.1', 'far.invalid'), ...reached });
    await using transport = plugin.create(entry, { server: 'far' });
    await transport.start();
    expect(proxy.asked).toHaveLength(1);

    const certificate = {
      url: 'wss://localhost/',
      clientCertificate: { cert: '/nowhere/c.pem', key: '/nowhere/k.pem' },
    };
    const reading = plugin.create(validate(certificate), { server: 'far' });
    expect(await failureOf(reading.start())).toMatchObject({ code: 'CONFIG_INVALID' });
    const half = validate({
      url: 'wss://localhost/',
      ca: ['/nowhere/ca.pem'],
      clientCertificate: { cert: 'c' },
    });
    expect(() => plugin.create(half, { server: 'far' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('`ws-ide` carries the token of the IDE, its name, and no sign-in', async () => {
    for (const spelled of [{ type: 'ws-ide' }, { transportType: 'ws-ide' }]) {
      await using server = await startServer({
        tokenHeader: 'X-Claude-Code-Ide-Authorization',
        onConnection: (transport) => transport.start(),
      });
      const auth: AuthProvider = {
        headers: () => Promise.reject(new Error('The sign-in was asked.')),
        onChallenge: () => Promise.reject(new Error('The sign-in was asked.')),
      };
      const entry = validate({ ...spelled, url: server.url, ideName: 'Editor', authToken: TOKEN });
      await using transport = ws().create(entry, { server: 'ide', auth });
      await transport.start();
      expect(transport.describe?.()).toMatchObject({ ideName: 'Editor', protocol: 'mcp' });
      expect(JSON.stringify(transport.describe?.())).not.toContain(TOKEN);
    }
  });

  it('the header of the token can be another, and an ordinary entry has none', async () => {
    await using server = await startDecidingServer(() => undefined);
    const plugin = ws({ ideTokenHeader: 'X-My-Ide' });
    for (const type of ['ws-ide', 'ws']) {
      const entry = validate({ type, url: server.url, authToken: TOKEN });
      await using transport = plugin.create(entry, { server: 'ide' });
      await transport.start();
    }
    expect(server.requests.map(({ headers }) => headers['x-my-ide'])).toEqual([TOKEN, undefined]);
  });

  it('refuses an entry that cannot work when it is created', () => {
    const create = (entry: unknown) => () => ws().create(validate(entry), { server: 'bad' });
    expect(create({ url: 'http://host/' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', server: 'bad' }),
    );
    expect(create({ url: 'ws://localhost/', headers: { Host: 'x' } })).toThrow(
      expect.objectContaining({ code: 'HEADER_INVALID', server: 'bad' }),
    );
  });
});
