import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { FittingsError, ServerConfig } from '@mcp-fittings/client-core';
import { createHost, type HostOptions } from '@mcp-fittings/host';
import { DEFAULT_LIMITS } from '../src/setup/default-limits.js';
import { readSettings } from '../src/setup/settings.js';
import { calculator, identity } from './support/calculator.js';
import { testServers } from './support/in-process.js';

const options = (more: Partial<HostOptions> = {}): HostOptions => ({
  ...identity,
  transports: [testServers(calculator).plugin],
  ...more,
});

describe('defaults of the host', () => {
  const settings = (config: ServerConfig, servers: HostOptions['defaults']) =>
    readSettings('one', config, {
      limits: DEFAULT_LIMITS,
      lazy: false,
      idleMs: 0,
      delivery: 'reconnect',
      servers,
    });

  it('apply to every member that an entry does not have', () => {
    const defaults = {
      timeout: 7000,
      reconnect: { maxAttempts: 2, delayMs: 50 },
      healthCheck: { intervalMs: 9000 },
    };
    expect(settings({}, defaults)).toMatchObject({
      callMs: 7000,
      reconnect: { maxAttempts: 2, delayMs: 50 },
      healthCheck: { enabled: true, intervalMs: 9000, timeoutMs: 10_000, maxFailures: 3 },
    });
    const entry = { timeout: 1, reconnect: { delayMs: 3 }, healthCheck: { enabled: false, maxFailures: 1 } };
    expect(settings(entry, defaults)).toMatchObject({
      callMs: 1,
      reconnect: { maxAttempts: 2, delayMs: 3 },
      healthCheck: { enabled: false, intervalMs: 9000, maxFailures: 1 },
    });
    expect(settings({}, undefined)).toMatchObject({ callMs: 600_000, healthCheck: { enabled: false } });
    expect(settings({}, { healthCheck: { enabled: false } }).healthCheck.enabled).toBe(false);
    expect(settings({ healthCheck: {} }, { healthCheck: { enabled: false } }).healthCheck.enabled).toBe(true);
  });

  it('that are invalid fail each server, and name the member', async () => {
    await using host = createHost(options({ defaults: { reconnect: { maxAttempts: -1 } } }));
    const [one] = await host.connect({ one: { type: 'test' } });
    expect(one?.state).toMatchObject({
      status: 'failed',
      error: { code: 'CONFIG_INVALID', message: expect.stringContaining('defaults.reconnect.maxAttempts') },
    });
  });
});

describe('snapshots', () => {
  it('have the entry, which no log shows, and its scope', async () => {
    await using host = createHost(options());
    const entry = { type: 'test', note: 'secret-note' };
    const [one, two] = await host.connect(
      { one: entry, two: { type: 'test' } },
      { scopes: { one: 'project' } },
    );
    expect(one).toMatchObject({ entry, scope: 'project' });
    expect(two?.scope).toBeUndefined();
    expect(host.server('one').scope).toBe('project');
    expect(inspect(one, { depth: 9 }) + JSON.stringify(one)).not.toContain('secret-note');
    await host.connect({ one: entry }, { scopes: { one: 'user' } });
    expect(host.server('one').scope).toBe('user');
  });
});

describe('arguments of the wrong type', () => {
  /** A host without its types. */
  type Any = Record<string, (...args: unknown[]) => Promise<unknown>>;
  const call =
    (name: string, ...args: unknown[]) =>
    (host: Any): Promise<unknown> =>
      (host[name] as (...given: unknown[]) => Promise<unknown>)(...args);
  const wrong: readonly [string, (host: Any) => Promise<unknown>, RegExp][] = [
    ['callTool({ server, name })', call('callTool', { server: 'one', name: 'add' }), /not a string: "tool"/],
    ['callTool(server, tool)', call('callTool', 'one', 'add', {}), /\{ server, tool \}.*a string/],
    ['callTool(ref, text)', call('callTool', { server: 'one', tool: 'add' }, 'x'), /second argument/],
    ['callTool()', call('callTool'), /not undefined/],
    ['getPrompt(null)', call('getPrompt', null), /not null/],
    ['readResource(uri)', call('readResource', 'x:y'), /\{ server, uri \}/],
    ['complete({ server })', call('complete', { server: 'one' }), /\{ name, value \}/],
    ['request(method)', call('request', 'ping'), /\{ server, method \}/],
    ['notify(server)', call('notify', 'one'), /method of host.notify\(\) must be a string, not undefined/],
    ['notify(server, method, text)', call('notify', 'one', 'x/y', 'text'), /third argument.*not a string/],
    ['setLogLevel(server)', call('setLogLevel', 'one'), /level of host.setLogLevel\(\) must be a string/],
    ['subscribe(uri)', call('subscribe', 'x:y'), /\{ server, uri \}/],
    ['start(undefined)', call('start', undefined), /must be a string, not undefined/],
    ['connect([])', call('connect', []), /not an array/],
    ['connect({ one: command })', call('connect', { one: 'npx x' }), /"one" must be an object, not a string/],
    ['connect({ one: null })', call('connect', { one: null }), /"one" must be an object, not null/],
  ];

  it.each(wrong)('%s is CONFIG_INVALID', async (_what, misuse, message) => {
    await using host = createHost(options());
    await host.connect({ one: { type: 'test' } });
    await expect(misuse(host as unknown as Any)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    [{}, 'name, version'],
    [{ name: 'my-agent' }, 'version'],
    [{ name: 'my-agent', version: 1 }, 'version'],
  ])('a host with %j and without name or version is CONFIG_INVALID at once', (given, missing) => {
    expect(() => createHost({ transports: [], ...given } as never)).toThrowError(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: `createHost() requires the name and version of your program as strings; missing: ${missing}.`,
      }),
    );
  });

  it('a host without options or transports, or with an invalid engine, is CONFIG_INVALID', () => {
    for (const given of [
      undefined,
      {},
      null,
      'my-agent',
      { ...identity },
      options({ engine: () => 1 } as never),
      options({ transports: [() => 1] as never }),
    ]) {
      expect(() => createHost(given as never)).toThrowError(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    }
  });

  it.each([
    [
      'a callback router itself',
      { hostCallbacks: {}, add: () => undefined },
      'hostCallbacks',
      'Its options are elicit,',
    ],
    ['a name that is almost right', { elicitation: async () => undefined }, 'elicitation', 'elicit'],
    ['a callback that is not a function', { sample: 'yes' }, 'sample', 'function'],
    ['modes that are not a list', { elicitationModes: 'url' }, 'elicitationModes', 'array'],
    ['no object', () => undefined, 'callbacks', 'object'],
    ['null', null, 'callbacks', 'object'],
  ])('callbacks that are %s are CONFIG_INVALID', (_what, callbacks, named, hint) => {
    const refused = (() => {
      try {
        createHost(options({ callbacks } as never));
      } catch (error) {
        return error as FittingsError;
      }
      return undefined;
    })();
    expect(refused).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(`"${named}"`) });
    expect(`${refused?.message} ${refused?.hint}`).toContain(hint);
  });

  it('callbacks may be left out, one by one', async () => {
    for (const callbacks of [
      undefined,
      {},
      { elicit: undefined, sample: undefined, elicitationModes: undefined },
    ])
      await createHost(options({ callbacks } as never)).close();
  });
});

describe('mistaken arguments of host.connect()', () => {
  const entry: ServerConfig = { command: 'node' };

  it('a whole configuration is not an entry named "mcpServers"', async () => {
    await using host = createHost(options());
    await expect(host.connect({ mcpServers: { files: entry } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('host.connect(configuration.mcpServers)'),
    });
    // A server may have that name.
    const [named] = await host.connect({ mcpServers: { type: 'pigeon', env: {} } });
    expect(named).toMatchObject({ name: 'mcpServers', state: { status: 'failed' } });
  });

  it('suggests the type of an installed transport for a similar one', async () => {
    await using host = createHost(
      options({ transports: [{ ...testServers(calculator).plugin, type: 'stdio' }] }),
    );
    const [mistyped] = await host.connect({ files: { type: 'stdoi', command: 'node' } });
    expect(mistyped).toMatchObject({ state: { error: { hint: 'Did you mean "stdio"?' } } });
  });
});
