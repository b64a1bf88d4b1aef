import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { FittingsError } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type {
  HostCallbacks,
  HostOptions,
  InterceptedRequest,
  Interceptor,
  InterceptorFunction,
  InterceptorHandlers,
  ToolResult,
} from '@mcp-fittings/host';
import { calculator, identity, testHost } from './support/calculator.js';
import { testServers, type TestServers } from './support/in-process.js';
import { scripted } from './support/scripted.js';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const add = { server: 'calc', tool: 'add' };
const five = { a: 2, b: 3 };

async function connected(
  intercept: readonly Interceptor[],
  options: Partial<HostOptions> & { readonly servers?: TestServers } = {},
) {
  const { servers = testServers(calculator), ...rest } = options;
  const host = testHost([servers.plugin], { intercept, ...rest });
  onTestFinished(() => host.close());
  await host.connect({ calc: { type: 'test' } });
  return { host, servers };
}

/** A server with one tool, and how often it was called. */
function counting() {
  let calls = 0;
  const server = scripted({
    'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
    'tools/call'() {
      calls++;
      return text('asked');
    },
  });
  return { servers: testServers(() => server), calls: () => calls };
}

/** Intercepts calls of tools only. */
const onTools = (callTool: InterceptorHandlers['callTool']): InterceptorHandlers => ({ callTool });

describe('interceptors', () => {
  it('surround every operation, the first one outermost', async () => {
    const told: string[] = [];
    const named =
      (name: string): InterceptorFunction =>
      async (request, next) => {
        told.push(`${name} ${request.operation}`);
        const result = await next(request);
        told.push(`${name} ${request.operation} done`);
        return result;
      };
    const result = { content: [], messages: [], contents: [], completion: { values: ['x'] } };
    const capabilities = {
      tools: {},
      prompts: {},
      resources: { subscribe: true },
      logging: {},
      completions: {},
    };
    const server = scripted(
      {
        'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
        ...Object.fromEntries(
          [
            'tools/call',
            'prompts/get',
            'resources/read',
            'completion/complete',
            'resources/subscribe',
            'resources/unsubscribe',
            'logging/setLevel',
            'vendor/thing',
          ].map((method) => [method, () => result]),
        ),
      },
      capabilities,
    );
    const { host } = await connected([named('outer'), named('inner')], {
      ...identity,
      servers: testServers(() => server),
    });
    expect(told.slice(0, 4)).toEqual([
      'outer connect',
      'inner connect',
      'inner connect done',
      'outer connect done',
    ]);
    for (const list of ['listTools', 'listPrompts', 'listResources', 'listResourceTemplates'])
      expect(told).toContain(`inner ${list}`);
    told.length = 0;
    const ref = { server: 'calc', uri: 'memo://a' };
    await host.callTool(add);
    await host.getPrompt({ server: 'calc', prompt: 'p' });
    await host.readResource(ref);
    const argument = { name: 'a', value: '' };
    const { values } = await host.complete({
      server: 'calc',
      ref: { type: 'ref/prompt', name: 'p' },
      argument,
    });
    expect(values).toEqual(['x']);
    await host.request({ server: 'calc', method: 'vendor/thing' });
    await host.notify('calc', 'notifications/cancelled', { requestId: 99 });
    await host.subscribe(ref);
    await host.unsubscribe(ref);
    await host.setLogLevel('calc', 'info');
    const operations = ['callTool', 'getPrompt', 'readResource', 'complete', 'request', 'notify'];
    expect(told).toEqual(
      [...operations, 'subscribe', 'unsubscribe', 'setLogLevel'].flatMap((operation) => [
        `outer ${operation}`,
        `inner ${operation}`,
        `inner ${operation} done`,
        `outer ${operation} done`,
      ]),
    );
  });

  it('cannot change the arguments of the caller, only those that are sent', async () => {
    const careless = onTools((request, next) => {
      const { args, options } = request as { args: Record<string, unknown>; options: { meta?: unknown } };
      args['a'] = 40;
      delete args['deep'];
      Object.assign(options, { timeoutMs: 1234 });
      Object.assign(options.meta ?? {}, { secret: true });
      return next(request);
    });
    const { host } = await connected([careless]);
    const shared = { list: [1] };
    const args: Record<string, unknown> = { a: 2, b: 3, deep: { shared, again: shared } };
    const options = { meta: { trace: 'x' } };
    const before = structuredClone([args, options]);
    expect(await host.callTool(add, args, options)).toMatchObject(text('43'));
    expect([args, options]).toEqual(before);
  });

  it('get a function, a signal and a value that contains itself as they are', async () => {
    const seen: unknown[] = [];
    const look = onTools((request) => {
      seen.push(request.options.onProgress, request.options.signal, request.args['self'] === request.args);
      return Promise.resolve(text('seen'));
    });
    const { host } = await connected([look]);
    const { signal } = new AbortController();
    const onProgress = (): void => undefined;
    const args: Record<string, unknown> = {};
    args['self'] = args;
    await host.callTool(add, args, { signal, onProgress });
    expect(seen).toEqual([onProgress, signal, true]);
  });

  it('that call the host within themselves without end fail, unsent, after a few levels', async () => {
    let calls = 0;
    const ring = onTools(async (request, next) => {
      calls++;
      await host.callTool(add, five);
      return next(request);
    });
    const { host } = await connected([ring]);
    await expect(host.callTool(add, five)).rejects.toMatchObject({
      code: 'CALLBACK_FAILED',
      delivery: 'not-sent',
      message: expect.stringContaining('16'),
    });
    expect(calls).toBe(16);
  });

  it('that form a ring of several operations and servers fail too, also after next()', async () => {
    let calls = 0;
    const ring: InterceptorHandlers = {
      async callTool(request, next) {
        calls++;
        const result = await next(request);
        await host.request({ server: 'calc', method: 'ping' });
        return result;
      },
      async request(request, next) {
        await new Promise((resolve) => setImmediate(resolve));
        await host.callTool(add, five);
        return next(request);
      },
    };
    const { host } = await connected([ring]);
    await expect(host.callTool(add, five)).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    expect(calls).toBe(8);
  });

  it('may call the host one after the other as often as they like', async () => {
    const busy = onTools(async (request, next) => {
      for (let times = 0; times < 40; times++) await host.request({ server: 'calc', method: 'ping' });
      return next(request);
    });
    const { host } = await connected([busy]);
    const all = await Promise.all(Array.from({ length: 20 }, () => host.callTool(add, five)));
    expect(all).toHaveLength(20);
  });

  it('change arguments and results, with types that follow from the operation', async () => {
    const changing: InterceptorHandlers = {
      async callTool(request, next) {
        const result = await next({ ...request, args: { ...request.args, a: 40 } });
        expectTypeOf(result).toEqualTypeOf<ToolResult>();
        return { ...result, content: [...result.content, { type: 'text', text: 'seen' }] };
      },
    };
    const changed = await connected([changing], { ...identity });
    const { content } = await changed.host.callTool(add, five);
    expect(content).toEqual([
      { type: 'text', text: '43' },
      { type: 'text', text: 'seen' },
    ]);
  });
});

it.each([
  ['tool', { tool: 42 }],
  ['args', { args: 'a=1' }],
  ['args that are a list', { args: [] }],
  ['options', { options: null }],
])('an interceptor that changes the type of %s is told so, and nothing is sent', async (_, change) => {
  const { host } = await connected([
    // As JavaScript can.
    onTools(async (request, next) => next(Object.assign({}, request, change as object))),
  ]);
  await expect(host.callTool(add, five)).rejects.toMatchObject({
    code: 'CALLBACK_FAILED',
    message: expect.stringContaining('with a member of another type'),
    delivery: 'not-sent',
  });
});

describe('an interceptor that refuses or answers', () => {
  it('sends nothing, and its error says so whatever the interceptor claims', async () => {
    const { servers, calls } = counting();
    const thrown: unknown[] = [
      new FittingsError('POLICY_DENIED', 'No additions today.'),
      new FittingsError('POLICY_DENIED', 'No additions today.', { delivery: 'unknown', server: 'calc' }),
      new TypeError('a mistake'),
    ];
    const { host } = await connected(
      [
        onTools(async () => {
          throw thrown.shift();
        }),
      ],
      { servers },
    );
    for (const code of ['POLICY_DENIED', 'POLICY_DENIED', 'CALLBACK_FAILED']) {
      await expect(host.callTool(add)).rejects.toMatchObject({ code, delivery: 'not-sent', server: 'calc' });
    }
    expect(calls()).toBe(0);
  });

  it('answers without asking the server', async () => {
    const { servers, calls } = counting();
    const { host } = await connected([onTools(async () => text('from the interceptor'))], { servers });
    expect(await host.callTool(add)).toEqual(text('from the interceptor'));
    expect(calls()).toBe(0);
  });

  it('cannot claim that what was sent was not', async () => {
    const { servers, calls } = counting();
    const { host } = await connected(
      [
        onTools(async (request, next) => {
          await next(request);
          throw new FittingsError('POLICY_DENIED', 'The result is confidential.', { delivery: 'not-sent' });
        }),
      ],
      { servers },
    );
    await expect(host.callTool(add)).rejects.toMatchObject({ code: 'POLICY_DENIED', delivery: 'unknown' });
    expect(calls()).toBe(1);
  });

  it('passes on the failure of the operation unchanged, and its delivery with an error of its own', async () => {
    const { host } = await connected([
      onTools(async (request, next) => {
        try {
          return await next(request);
        } catch (error) {
          if (request.tool === 'sub') throw new Error('worse', { cause: error });
          throw error;
        }
      }),
    ]);
    await expect(host.callTool({ server: 'calc', tool: 'ad' })).rejects.toMatchObject({
      code: 'TOOL_UNKNOWN',
      hint: 'Did you mean "add"?',
    });
    await expect(host.callTool({ server: 'calc', tool: 'sub' })).rejects.toMatchObject({
      code: 'CALLBACK_FAILED',
      delivery: 'not-sent',
    });
  });
});

describe('a broken interceptor harms one operation', () => {
  it('that hangs before next(): the call times out unsent, and next() sends nothing afterward', async () => {
    const clock = createManualClock();
    const { servers, calls } = counting();
    let release = (): void => undefined;
    let late: Promise<unknown> | undefined;
    const signals: AbortSignal[] = [];
    const { host } = await connected(
      [
        onTools(async (request, next) => {
          signals.push(request.signal);
          if (signals.length > 1) return next(request);
          await new Promise<void>((resolve) => (release = resolve));
          late = next(request);
          return late as Promise<never>;
        }),
      ],
      { clock, servers },
    );
    const call = expect(host.callTool(add, {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      delivery: 'not-sent',
      message: expect.stringContaining('interceptor'),
    });
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(50);
    await call;
    expect(signals[0]?.aborted).toBe(true);
    release();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(late).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    expect(calls()).toBe(0);
    expect(await host.callTool(add)).toEqual(text('asked'));
  });

  it('that hangs after next(): the call times out with an unknown delivery', async () => {
    const clock = createManualClock();
    let returned = (): void => undefined;
    const hanging = new Promise<void>((resolve) => (returned = resolve));
    const { host } = await connected(
      [
        onTools(async (request, next) => {
          await next(request);
          returned();
          return new Promise(() => undefined);
        }),
      ],
      { clock },
    );
    const call = expect(host.callTool(add, five, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      delivery: 'unknown',
    });
    await hanging;
    await clock.advance(50);
    await call;
  });

  it('that holds a call which the caller aborts: ABORTED, unsent', async () => {
    const { host } = await connected([onTools(() => new Promise(() => undefined))]);
    const caller = new AbortController();
    const call = host.callTool(add, five, { signal: caller.signal });
    setImmediate(() => caller.abort());
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', delivery: 'not-sent' });
    await expect(host.callTool(add, five, { signal: caller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  it('that waits for a call which the caller aborts: ABORTED, with the delivery of the call', async () => {
    const caller = new AbortController();
    const calc = calculator();
    calc.server.registerTool('hang', {}, () => {
      caller.abort();
      return new Promise(() => undefined);
    });
    const { host } = await connected([(request, next) => next(request)], {
      servers: testServers(() => calc),
    });
    const call = host.callTool({ server: 'calc', tool: 'hang' }, {}, { signal: caller.signal });
    await expect(call).rejects.toMatchObject({
      code: 'ABORTED',
      delivery: 'unknown',
      message: expect.not.stringContaining('interceptor'),
    });
  });

  it('the time of the call itself is not its own', async () => {
    const clock = createManualClock();
    const calc = calculator();
    const { host } = await connected([(request, next) => next(request)], {
      clock,
      servers: testServers(() => calc),
    });
    const call = host.callTool({ server: 'calc', tool: 'slow' }, {}, { timeoutMs: 50 });
    const failure = expect(call).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('did not answer'),
    });
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(50);
    await failure;
  });

  it.each<[string, InterceptorHandlers]>([
    ['calls next() twice', onTools(async (request, next) => (await next(request), next(request)))],
    // JavaScript can forget what TypeScript demands.
    ['returns nothing', onTools(async (request, next) => void (await next(request)) as never)],
    ['calls next() without a request', onTools((_request, next) => next(undefined as never))],
    ['calls another server', onTools((request, next) => next({ ...request, server: 'other' }))],
    [
      'throws at once',
      onTools(() => {
        throw new Error('at once');
      }),
    ],
  ])('that %s fails its call only', async (_what, broken) => {
    let isBroken = true;
    const { host } = await connected([
      {
        callTool: (request, next) =>
          (isBroken ? broken.callTool?.(request, next) : undefined) ?? next(request),
      },
    ]);
    await expect(host.callTool(add, five)).rejects.toMatchObject({ code: 'CALLBACK_FAILED', server: 'calc' });
    isBroken = false;
    expect((await host.callTool(add, five)).content).toEqual(text('5').content);
    expect(host.server('calc').state.status).toBe('connected');
  });

  it('that does not await next(): its failure is not an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { host } = await connected([
      onTools(async (request, next) => {
        void next(request);
        return text('at once');
      }),
    ]);
    expect(await host.callTool({ server: 'calc', tool: 'no such tool' })).toEqual(text('at once'));
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

const passing: InterceptorFunction = (request, next) => next(request);

it('AsyncLocalStorage holds in both directions', async () => {
  const storage = new AsyncLocalStorage<string>();
  const inside: unknown[] = [];
  const { host } = await connected(
    [
      onTools((request, next) => {
        inside.push(storage.getStore());
        return storage.run('of the interceptor', () => next(request));
      }),
    ],
    {
      traceContext() {
        inside.push(storage.getStore());
        return undefined;
      },
    },
  );
  inside.length = 0;
  await storage.run('of the caller', async () => {
    await host.callTool(add, five);
    expect(storage.getStore()).toBe('of the caller');
  });
  expect(inside).toEqual(['of the caller', 'of the interceptor']);
});

it('arguments of any depth reach the transport, with and without interceptors', async () => {
  let nested: unknown = 1;
  for (let depth = 0; depth < 50_000; depth++) nested = [nested];
  for (const intercept of [[], [onTools((request, next) => next(request))]]) {
    const { host } = await connected(intercept);
    // The server, which gets neither number, says so.
    expect(await host.callTool(add, { nested })).toMatchObject({ isError: true });
    await host.close();
  }
});

describe('connections and lists', () => {
  it('a refused connection fails its server only, and is not tried again', async () => {
    const servers = testServers(calculator);
    const attempts: string[] = [];
    const refuse: InterceptorFunction = async (request, next) => {
      if (request.operation === 'connect') attempts.push(request.server);
      if (request.operation === 'connect' && request.server === 'bad') {
        throw new FittingsError('POLICY_DENIED', 'Not this one.');
      }
      return next(request);
    };
    await using host = testHost([servers.plugin], { intercept: [refuse] });
    const [good, bad] = await host.connect({ good: { type: 'test' }, bad: { type: 'test' } });
    expect(good?.state.status).toBe('connected');
    expect(bad?.state).toMatchObject({ status: 'failed', error: { code: 'POLICY_DENIED' } });
    expect(attempts).toEqual(['good', 'bad']);
    expect(servers.created).toBe(1);
  });

  it('a connection that is refused after it was made is closed', async () => {
    const servers = testServers(calculator);
    await using host = testHost([servers.plugin], {
      intercept: [
        async (request, next) => {
          const result = await next(request);
          if (request.operation === 'connect') throw new FittingsError('POLICY_DENIED', 'Its name is wrong.');
          return result;
        },
      ],
    });
    const [server] = await host.connect({ calc: { type: 'test' } });
    expect(server?.state).toMatchObject({ status: 'failed', error: { code: 'POLICY_DENIED' } });
    await new Promise((resolve) => setImmediate(resolve));
    expect([servers.created, servers.open]).toEqual([1, 0]);
  });

  it('a list that was filtered is all that the host knows', async () => {
    const { host } = await connected([
      {
        async listTools(request, next) {
          const list = await next(request);
          return { ...list, items: list.items.filter(({ name }) => name !== 'slow') };
        },
      },
    ]);
    expect(host.tools().map(({ name }) => name)).toEqual(['add']);
    await expect(host.callTool({ server: 'calc', tool: 'slow' })).rejects.toMatchObject({
      code: 'TOOL_UNKNOWN',
    });
  });

  it('a list that is refused after it was read returns its bytes to the budget', async () => {
    let refusals = 0;
    const servers = testServers(calculator);
    await using host = testHost([servers.plugin], {
      limits: { listBytes: 1500 },
      intercept: [
        async (request, next) => {
          const result = await next(request);
          if (request.operation === 'listTools' && refusals++ < 4) throw new Error('no');
          return result;
        },
      ],
    });
    await host.connect({ calc: { type: 'test', reconnect: { maxAttempts: 0 } } });
    for (let turn = 0; turn < 3; turn++) await expect(host.start('calc')).rejects.toThrow('calc');
    await host.start('calc');
    expect(host.tools().map(({ name }) => name)).toEqual(['add', 'slow']);
  });
});

describe('requests of servers', () => {
  function asking() {
    const calc = calculator();
    const { server } = calc;
    server.registerTool('ask', {}, async () => {
      const { action, content } = await server.server.elicitInput({
        message: 'Who?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      });
      return text(`${action} ${JSON.stringify(content)}`);
    });
    server.registerTool('think', { inputSchema: { n: z.number() } }, async ({ n }) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: `secret ${n}` } }];
      const answer = await server.server.createMessage({ messages, maxTokens: 5 });
      return text(JSON.stringify(answer.content));
    });
    server.registerTool('where', {}, async () =>
      text(JSON.stringify((await server.server.listRoots()).roots)),
    );
    return calc;
  }
  const callbacks: HostCallbacks = {
    elicit: async () => ({ action: 'accept', content: { name: 'Ann' } }),
    sample: async (params) => ({
      role: 'assistant',
      model: 'scripted',
      content: { type: 'text', text: JSON.stringify(params['messages']) },
    }),
    roots: async () => [{ uri: 'file:///secret' }, { uri: 'file:///work' }],
  };
  const said = async (intercept: Interceptor, tool: string, args = {}) => {
    const { host } = await connected([intercept], { servers: testServers(asking), callbacks });
    const { content } = await host.callTool({ server: 'calc', tool }, args);
    await host.close();
    return content[0]?.type === 'text' ? content[0].text : undefined;
  };

  it('are changed in both directions', async () => {
    const redact: InterceptorHandlers = {
      async elicit(request, next) {
        const answer = await next(request);
        expect([request.request.message, request.calls[0]?.target]).toEqual(['Who?', 'ask']);
        return answer.action === 'accept' ? { ...answer, content: { name: 'someone else' } } : answer;
      },
      sample: (request, next) => next({ ...request, params: { ...request.params, messages: [] } }),
      roots: async (request, next) => (await next(request)).filter(({ uri }) => !uri.includes('secret')),
    };
    expect(await said(redact, 'ask')).toBe('accept {"name":"someone else"}');
    expect(await said(redact, 'think', { n: 1 })).toBe('{"type":"text","text":"[]"}');
    expect(await said(redact, 'where')).toBe('[{"uri":"file:///work"}]');
  });

  it('are answered or refused; an answer is still validated', async () => {
    expect(await said({ elicit: async () => ({ action: 'decline' }) }, 'ask')).toBe('decline undefined');
    const invalid: Interceptor = { elicit: async () => ({ action: 'accept', content: {} }) };
    expect(await said(invalid, 'ask')).toMatch(/does not fit the form|error/i);
    const refuse: Interceptor = { sample: () => Promise.reject(new Error('no models')) };
    expect(await said(refuse, 'think', { n: 1 })).toMatch(/error/i);
  });
});

describe('a host without interceptors', () => {
  it('pays nothing: a call creates as many promises with an empty list as without the option', async () => {
    const promisesOf = async (options: Partial<HostOptions>): Promise<number> => {
      const servers = testServers(calculator);
      const host = testHost([servers.plugin], options);
      await host.connect({ calc: { type: 'test' } });
      for (let warm = 0; warm < 3; warm++) await host.callTool(add, five);
      let least = Infinity;
      // The least of several, because something else may create promises meanwhile.
      for (let call = 0; call < 5; call++) {
        let count = 0;
        const hook = createHook({ init: (_id, type) => void (type === 'PROMISE' && count++) }).enable();
        await host.callTool(add, five);
        hook.disable();
        least = Math.min(least, count);
      }
      await host.close();
      return least;
    };
    const without = await promisesOf({});
    expect(await promisesOf({ intercept: [] })).toBe(without);
    expect(await promisesOf({ intercept: [passing] })).toBeGreaterThan(without);
  });

  it('does not load OpenTelemetry', () => {
    const source = join(import.meta.dirname, '../src');
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const code = readFileSync(file, 'utf8');
      for (const [, clause = '', path = ''] of code.matchAll(
        /^(?:import|export)\s([^;]*?)from '(\.[^']+)'/gm,
      )) {
        if (!clause.startsWith('type ')) visit(join(dirname(file), path.replace(/\.js$/, '.ts')));
      }
    };
    visit(join(source, 'index.ts'));
    const loaded = [...seen].map((file) => file.slice(source.length + 1).replaceAll('\\', '/'));
    expect(loaded).toContain('interception/interception.ts');
    expect(loaded.filter((file) => file.includes('opentelemetry'))).toEqual([]);
  });
});

it('the types tell operations apart', () => {
  const names = (request: InterceptedRequest): string => {
    switch (request.operation) {
      case 'callTool':
        return request.tool;
      case 'readResource':
        return request.uri;
      case 'request':
      case 'notify':
        return request.method;
      default:
        return request.operation;
    }
  };
  const signal = new AbortController().signal;
  expect(names({ operation: 'connect', server: 's', attempt: 1, signal })).toBe('connect');
  const wrong: readonly Interceptor[] = [
    // @ts-expect-error -- a function for all operations returns what next() returned
    async () => ({ nonsense: true }),
    // @ts-expect-error -- nothing is not a result
    async (request, next) => void (await next(request)),
    // @ts-expect-error -- the result of another operation
    { callTool: async () => ({ messages: [] }) },
    // @ts-expect-error -- there is no such operation
    { callTools: async () => ({ content: [] }) },
  ];
  expect(wrong).toHaveLength(4);
  // @ts-expect-error -- not an array
  expect(() => testHost([], { intercept: passing })).toThrow('must be an array of interceptors');
});
