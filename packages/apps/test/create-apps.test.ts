import { describe, expect, it } from 'vitest';
import {
  APP_MIME_TYPE,
  appsExtension,
  createApps,
  type AppsHost,
  type AppsOptions,
} from '@mcp-fittings/apps';
import { createHost } from '@mcp-fittings/host';
import { createToolPolicy, createTools, type ConfirmRequest, type ToolPolicy } from '@mcp-fittings/tools';
import { createToolPins } from '@mcp-fittings/tools/pins';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { McpServer } from '@modelcontextprotocol/server';
import { APP, createWorld, HTML, LISTED_APP } from './support/weather.js';

const forecast = { server: 'weather', tool: 'forecast' };
const allowed: AppsOptions = { defaultPermission: 'allow' };
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('an app of a real server', () => {
  it('is offered, because the host declares that it shows apps', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host);
    const [capabilities] = world.seen;
    expect(capabilities).toMatchObject({
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
    });
    const uris = world.host.tools().map((tool) => [tool.name, apps.uriOf(tool)]);
    expect(Object.fromEntries(uris)).toEqual({
      forecast: APP,
      refresh: APP,
      launch: APP,
      slow: APP,
      map: LISTED_APP,
      odd: undefined,
      plain: undefined,
      transfer: undefined,
    });
  });

  it('is read from its server, with its policy', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, { permissions: [] });
    using app = await apps.app(forecast);
    expect(app).toMatchObject({ uri: APP, html: HTML, tool: forecast, prefersBorder: true, allow: '' });
    expect(app.csp).toEqual({ connectDomains: ['https://api.weather.example'] });
    expect(app.contentSecurityPolicy).toContain('connect-src https://api.weather.example;');
    expect(app.refused).toHaveLength(2);
    expect(app.sandboxResource).toEqual({ html: HTML, csp: app.csp, permissions: {} });
    expect(app.hostCapabilities).toEqual({
      serverTools: {},
      serverResources: {},
      sandbox: { csp: app.csp, permissions: {} },
    });
  });

  it('has the metadata of the list if what was read has none', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host);
    using app = await apps.app({ server: 'weather', tool: 'map' });
    expect(app).toMatchObject({ uri: LISTED_APP, prefersBorder: false });
    expect(app.csp).toEqual({ connectDomains: ['https://api.weather.example'] });
    // A server need not list its app.
    await using others = createApps({ ...world.host, resources: () => [] });
    using restricted = await others.app({ server: 'weather', tool: 'map' });
    expect(restricted.csp).toEqual({});
  });

  it('does not call a tool that has changed before the user agreed', async () => {
    const mcp = new McpServer({ name: 'clock', version: '1.0.0' });
    const calls: string[] = [];
    const time = mcp.registerTool(
      'time',
      { description: 'Tells the time.', _meta: { ui: { resourceUri: APP } } },
      () => {
        calls.push('time');
        return { content: [] };
      },
    );
    mcp.registerResource('face', APP, {}, () => ({
      contents: [{ uri: APP, mimeType: APP_MIME_TYPE, text: HTML }],
    }));
    await using host = createHost({
      name: 'apps-test',
      version: '1.0.0',
      extensions: appsExtension(),
      transports: [inprocess({ servers: { clock: () => mcp } })],
    });
    await host.connect({ clock: { type: 'sdk' } });
    const questions: string[] = [];
    await using apps = createApps(host, {
      ...allowed,
      pins: createToolPins(),
      async confirm({ text }) {
        questions.push(text);
        return 'cancel';
      },
    });
    using app = await apps.app({ server: 'clock', tool: 'time' });
    await app.handlers.oncalltool({ name: 'time' });
    const changed = new Promise((resolve) => host.on('toolsChanged', resolve));
    time.update({ description: 'Tells the time, and sends it away.' });
    await changed;
    await expect(app.handlers.oncalltool({ name: 'time' })).rejects.toThrow(code('POLICY_DENIED'));
    expect(questions).toEqual([expect.stringContaining('sends it away')]);
    expect(calls).toEqual(['time']);
  });

  it('belongs to one person, with their connection and approvals', async () => {
    await using world = await createWorld();
    const { host } = world;
    const policy = createToolPolicy();
    const questions: string[] = [];
    for (const principal of ['ann', 'bob']) {
      await host.start('weather', { principal });
      await using apps = createApps(host, {
        principal,
        policy,
        async confirm() {
          questions.push(principal);
          return 'always-tool';
        },
      });
      using app = await apps.app(forecast);
      for (const _ of [1, 2]) await app.handlers.oncalltool({ name: 'forecast' });
      await app.handlers.onreadresource({ uri: APP });
    }
    expect(questions).toEqual(['ann', 'bob']);
    // The host's own connection, and one of each person.
    expect(world.seen).toHaveLength(3);
    await host.stop('weather', { principal: 'bob' });
    await using apps = createApps(host, { principal: 'bob' });
    await expect(apps.app(forecast)).rejects.toThrow(code('TOOL_UNKNOWN'));
  });

  it('is compared with the pins of what that person sees', async () => {
    const asked: unknown[] = [];
    const tool = {
      server: 's',
      name: 't',
      digest: 'd',
      inputSchema: {},
      _meta: { ui: { resourceUri: APP } },
    };
    const host: AppsHost = {
      tools: () => [tool],
      tool: () => tool,
      resources: () => [],
      servers: (options) => {
        asked.push(options?.principal);
        return [{ name: 's', identity: 'i' }];
      },
      callTool: async () => ({ content: [] }),
      readResource: async () => ({ contents: [{ uri: APP, mimeType: APP_MIME_TYPE, text: HTML }] }),
    };
    const pins = createToolPins();
    await using apps = createApps(host, { ...allowed, pins, principal: 'ann' });
    using app = await apps.app({ server: 's', tool: 't' });
    await app.handlers.oncalltool({ name: 't' });
    expect(asked).toContain('ann');
  });

  it.each([
    [{ server: 'weather', tool: 'plain' }, 'CAPABILITY_MISSING'],
    [{ server: 'weather', tool: 'transfer' }, 'TOOL_UNKNOWN'],
    [{ server: 'bank', tool: 'forecast' }, 'TOOL_UNKNOWN'],
  ])('%j has none: %s', async (tool, expected) => {
    await using world = await createWorld();
    await using apps = createApps(world.host);
    await expect(apps.app(tool)).rejects.toThrow(code(expected));
    expect(world.asked).toEqual([]);
  });

  it('is not read if the policy denies it', async () => {
    await using world = await createWorld();
    const policy = createToolPolicy({ servers: { weather: { readPermission: 'deny' } } });
    await using apps = createApps(world.host, { policy });
    await expect(apps.app(forecast)).rejects.toThrow(code('POLICY_DENIED'));
    expect(world.asked).toEqual([]);
  });
});

describe('a call of an app', () => {
  it('reaches tools of its own server that are for apps, and the app gets the whole result', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    using app = await apps.app(forecast);
    expect(await app.handlers.oncalltool({ name: 'refresh', arguments: { place: 'Rome' } })).toEqual({
      content: [{ type: 'text', text: 'refresh of weather' }],
      structuredContent: { celsius: 21 },
      _meta: { 'weather/station': 7 },
    });
    await app.handlers.oncalltool({ name: 'forecast' });
    expect(world.asked.slice(1)).toEqual(['weather refresh {"place":"Rome"}', 'weather forecast {}']);
  });

  it('does not put app-only tools before the model', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    await using tools = createTools(world.host, allowed);
    using app = await apps.app(forecast);
    await app.handlers.oncalltool({ name: 'refresh' });
    const names = tools.snapshot().tools.map(({ ref }) => ref.tool);
    expect(names).toContain('launch');
    expect(names).not.toContain('refresh');
  });

  it.each([
    ['launch', 'POLICY_DENIED'],
    ['transfer', 'TOOL_UNKNOWN'],
    ['mcp__bank__transfer', 'TOOL_UNKNOWN'],
    ['mcp__weather__refresh', 'TOOL_UNKNOWN'],
    ['bank/transfer', 'TOOL_UNKNOWN'],
    ['__proto__', 'TOOL_UNKNOWN'],
  ])('does not reach %s: %s', async (name, expected) => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    using app = await apps.app(forecast);
    await expect(app.handlers.oncalltool({ name })).rejects.toThrow(code(expected));
    expect(world.asked).toEqual([`weather read ${APP}`]);
  });

  it('sends arguments under the names of the server, not those of the model', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    using app = await apps.app(forecast);
    await app.handlers.oncalltool({ name: 'odd', arguments: { $place: 'Rome', _place: 'Oslo' } });
    expect(world.asked.at(-1)).toBe('weather odd {"$place":"Rome","_place":"Oslo"}');
  });

  it('is checked against the schema of the tool', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    using app = await apps.app(forecast);
    const call = app.handlers.oncalltool({ name: 'forecast', arguments: { place: 7 } });
    await expect(call).rejects.toThrow(code('ARGUMENTS_INVALID'));
    expect(world.asked).toHaveLength(1);
  });
});

describe('the policy', () => {
  it('requires confirmation by default, and fails without a callback', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host);
    using app = await apps.app(forecast);
    await expect(app.handlers.oncalltool({ name: 'refresh' })).rejects.toThrow(code('APPROVAL_REQUIRED'));
    await expect(app.handlers.onreadresource({ uri: 'weather://stations' })).rejects.toThrow(
      code('APPROVAL_REQUIRED'),
    );
    expect(world.asked).toHaveLength(1);
  });

  it('shares approvals with the calls of the model, and the question says that an app asks', async () => {
    await using world = await createWorld();
    const policy = createToolPolicy();
    const questions: ConfirmRequest[] = [];
    const confirm = async (request: ConfirmRequest) => {
      questions.push(request);
      return 'always-tool' as const;
    };
    await using apps = createApps(world.host, { policy, confirm });
    await using tools = createTools(world.host, { policy });
    using app = await apps.app(forecast);
    expect((await tools.snapshot().run('mcp__weather__forecast')).type).toBe('error');
    await app.handlers.oncalltool({ name: 'forecast', arguments: { place: 'Rome' } });
    expect((await tools.snapshot().run('mcp__weather__forecast')).type).toBe('result');
    expect(questions).toHaveLength(1);
    expect(questions[0]?.text).toContain(
      `The app "${APP}" of the server "weather" asks for this call, not the model.\n`,
    );
    expect(questions[0]?.text).toContain('"Rome"');
  });

  it('denies a call that the user or a rule declines', async () => {
    await using world = await createWorld();
    const policy = createToolPolicy({ servers: { weather: { deniedTools: ['refresh'] } } });
    await using apps = createApps(world.host, { policy, confirm: async () => 'cancel' });
    using app = await apps.app(forecast);
    await expect(app.handlers.oncalltool({ name: 'refresh' })).rejects.toThrow(code('POLICY_DENIED'));
    await expect(app.handlers.oncalltool({ name: 'forecast' })).rejects.toThrow(code('POLICY_DENIED'));
    expect(world.asked).toHaveLength(1);
  });
});

describe('a resource that an app reads', () => {
  it('is one of its own server, after the user agreed', async () => {
    await using world = await createWorld();
    const texts: string[] = [];
    const confirmRead = async ({ text, uri }: { readonly text: string; readonly uri: string }) => {
      texts.push(text);
      return uri === 'weather://stations';
    };
    await using apps = createApps(world.host, { confirmRead });
    using app = await apps.app(forecast);
    expect(await app.handlers.onreadresource({ uri: 'weather://stations' })).toEqual({
      contents: [{ uri: 'weather://stations', mimeType: 'application/json', text: '[7]' }],
    });
    await expect(app.handlers.onreadresource({ uri: 'weather://\u202eother' })).rejects.toThrow(
      code('POLICY_DENIED'),
    );
    expect(texts[0]).toContain(`The app "${APP}" of the server "weather" asks to read "weather://stations".`);
    expect(texts[1]).toContain('weather://\\u{202e}other');
  });

  it('needs no question if it is part of the app', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host);
    using app = await apps.app(forecast);
    const { contents } = await app.handlers.onreadresource({ uri: APP });
    expect(contents).toMatchObject([{ uri: APP, text: HTML, _meta: { ui: { prefersBorder: true } } }]);
  });

  it('is never one of another server', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    using app = await apps.app(forecast);
    await expect(app.handlers.onreadresource({ uri: 'bank://balance' })).rejects.toThrow(code('RPC_ERROR'));
    expect(world.asked).toEqual([`weather read ${APP}`]);
  });

  it('is not read if the policy denies it', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, { defaultPermission: 'deny', confirmRead: async () => true });
    using app = await apps.app(forecast);
    await expect(app.handlers.onreadresource({ uri: 'weather://stations' })).rejects.toThrow(
      code('POLICY_DENIED'),
    );
  });
});

describe('the end of an app', () => {
  it('aborts its calls and refuses further ones', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    const app = await apps.app(forecast);
    const other = await apps.app(forecast);
    const call = app.handlers.oncalltool({ name: 'slow' });
    await expect.poll(() => world.asked).toContain('weather slow');
    app.close();
    await expect(call).rejects.toThrow(code('ABORTED'));
    await expect.poll(() => world.asked).toContain('weather slow aborted');
    await expect(app.handlers.oncalltool({ name: 'refresh' })).rejects.toThrow(code('POLICY_DENIED'));
    await other.handlers.oncalltool({ name: 'refresh' });
    await apps.close();
    await expect(other.handlers.oncalltool({ name: 'refresh' })).rejects.toThrow(code('POLICY_DENIED'));
    await expect(apps.app(forecast)).rejects.toThrow(code('ABORTED'));
  });

  it('hides what a callback of the host threw, and refuses what is not text', async () => {
    await using world = await createWorld();
    const fail = async (): Promise<never> => {
      throw new Error('secret');
    };
    await using apps = createApps(world.host, { confirm: fail, confirmRead: fail, openLink: fail });
    using app = await apps.app(forecast);
    const { oncalltool, onreadresource, onopenlink } = app.handlers;
    for (const request of [
      oncalltool({ name: 'refresh' }),
      onreadresource({ uri: 'weather://stations' }),
      onopenlink({ url: 'https://a.example' }),
    ]) {
      const error: unknown = await request.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'CALLBACK_FAILED',
        message: expect.not.stringContaining('secret'),
      });
    }
    // An app may send anything, and not every program checks it before.
    await expect(oncalltool({ name: 7 as never })).rejects.toThrow(code('ARGUMENTS_INVALID'));
    expect(world.asked).toHaveLength(1);
  });

  it('is not outlived by a question to the user', async () => {
    await using world = await createWorld();
    let asking: AbortSignal | undefined;
    const openLink = ({ signal }: { readonly signal: AbortSignal }) => {
      asking = signal;
      return new Promise<boolean>(() => undefined);
    };
    await using apps = createApps(world.host, { openLink });
    using app = await apps.app(forecast);
    const opening = app.handlers.onopenlink({ url: 'https://a.example' });
    app.close();
    await expect(opening).rejects.toThrow(code('ABORTED'));
    expect(asking?.aborted).toBe(true);
  });

  it('comes when another entry takes the name of its server', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host, allowed);
    using app = await apps.app(forecast);
    await world.host.connect({ weather: { type: 'sdk', name: 'bank' } });
    await expect(app.handlers.oncalltool({ name: 'transfer' })).rejects.toThrow(code('POLICY_DENIED'));
    await expect(app.handlers.onreadresource({ uri: 'bank://balance' })).rejects.toThrow(
      code('POLICY_DENIED'),
    );
    expect(world.asked).toEqual([`weather read ${APP}`]);
  });

  it('comes even while the policy decides about a call', async () => {
    let identity = 'first';
    const sent: string[] = [];
    const listed = {
      server: 's',
      name: 't',
      digest: 'd',
      inputSchema: { type: 'object' },
      _meta: { ui: { resourceUri: APP } },
    };
    const host: AppsHost = {
      tools: () => [listed],
      tool: () => listed,
      resources: () => [],
      servers: () => [{ name: 's', identity }],
      callTool: async ({ tool }) => {
        sent.push(tool);
        return { content: [] };
      },
      readResource: async () => ({ contents: [{ uri: APP, mimeType: APP_MIME_TYPE, text: HTML }] }),
    };
    const policy = createToolPolicy();
    const forTool: ToolPolicy['forTool'] = () => {
      identity = 'second';
      return { decision: 'allow', rule: 'allowed-tool', reason: 'It is allowed.' };
    };
    await using apps = createApps(host, { policy: { ...policy, forTool } });
    using app = await apps.app({ server: 's', tool: 't' });
    await expect(app.handlers.oncalltool({ name: 't' })).rejects.toThrow(code('POLICY_DENIED'));
    expect(sent).toEqual([]);
  });

  it('leaves room: an app has a bounded number of requests under way', async () => {
    await using world = await createWorld();
    let asked = 0;
    const confirm = () => {
      asked++;
      return new Promise<never>(() => undefined);
    };
    await using apps = createApps(world.host, { confirm, maxParallelRequests: 2 });
    using app = await apps.app(forecast);
    const calls = Array.from({ length: 100 }, () => app.handlers.oncalltool({ name: 'refresh' }));
    const settled = Promise.allSettled(calls);
    await expect.poll(() => asked).toBe(2);
    app.close();
    const outcomes = (await settled).map((each) => (each.status === 'rejected' ? each.reason.code : ''));
    expect(outcomes.filter((each) => each === 'POLICY_DENIED')).toHaveLength(98);
    expect(asked).toBe(2);
  });
});

describe('a link', () => {
  it('is passed to the host as a URL, with a question that hides nothing', async () => {
    await using world = await createWorld();
    const opened: string[] = [];
    const openLink = async ({ url, text }: { readonly url: URL; readonly text: string }) => {
      opened.push(url.href, text);
      return url.hostname === 'good.example';
    };
    await using apps = createApps(world.host, { openLink });
    using app = await apps.app(forecast);
    expect(app.hostCapabilities.openLinks).toEqual({});
    expect(await app.handlers.onopenlink({ url: 'https://good.example/\u202egpj.exe' })).toEqual({});
    expect(await app.handlers.onopenlink({ url: 'https://other.example/' })).toEqual({ isError: true });
    expect(opened[0]).toBe('https://good.example/%E2%80%AEgpj.exe');
    expect(opened[1]).toContain(`asks to open https://good.example/%E2%80%AEgpj.exe`);
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'vscode://command',
    'https://bank.example@evil.example/',
    'not a url',
    '',
    `https://a.example/${'a'.repeat(10_000)}`,
  ])('is refused: %s', async (url) => {
    await using world = await createWorld();
    let asked = 0;
    const openLink = async () => ++asked > 0;
    await using apps = createApps(world.host, { openLink });
    using app = await apps.app(forecast);
    expect(await app.handlers.onopenlink({ url })).toEqual({ isError: true });
    expect(asked).toBe(0);
  });

  it('is refused if the host opens none', async () => {
    await using world = await createWorld();
    await using apps = createApps(world.host);
    using app = await apps.app(forecast);
    expect(await app.handlers.onopenlink({ url: 'https://a.example' })).toEqual({ isError: true });
  });
});

it('every app and every request is logged', async () => {
  await using world = await createWorld();
  const lines: unknown[] = [];
  const log = (message: string, fields?: object): void => void lines.push([message, fields]);
  const logger = { debug: log, info: log, warn: log, error: log };
  await using apps = createApps(world.host, { ...allowed, logger });
  using app = await apps.app(forecast);
  await app.handlers.oncalltool({ name: 'refresh' });
  await expect(app.handlers.oncalltool({ name: 'launch' })).rejects.toMatchObject({
    code: 'POLICY_DENIED',
    delivery: 'not-sent',
  });
  const { contentSecurityPolicy, digest } = app;
  expect(lines).toMatchObject([
    [`Opened the app "${APP}".`, { server: 'weather', digest, contentSecurityPolicy }],
    ['Answered a request of an app.', { method: 'tools/call', target: 'refresh' }],
    ['Refused or failed a request of an app.', { method: 'tools/call', target: 'launch' }],
  ]);
});
