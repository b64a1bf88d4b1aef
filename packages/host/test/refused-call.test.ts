import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AuthPlugin, AuthRequiredError, type TransportPlugin } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { http } from '@mcp-fittings/transport-http';
import { testHost } from './support/calculator.js';
import { jsonRpcServer, type Answer } from './support/json-rpc-server.js';
import { reaches } from './support/recorder.js';

/** Signs nothing, and can't help where a server refuses. */
const helpless: AuthPlugin = {
  specVersion: 1,
  scheme: 'helpless',
  create: () => ({
    headers: async () => ({}),
    onChallenge: async (challenge) => {
      throw new AuthRequiredError('Sign in first.', { challenge });
    },
    signIn: async () => undefined,
  }),
};

const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

/** Tools: `secret` answers 401, `long` when it is told to. */
function moody() {
  const waiting: ((value: string) => void)[] = [];
  const begun: (() => void)[] = [];
  let calls = 0;
  const call: Answer = async ({ params }, response) => {
    if (params['name'] === 'secret') {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return undefined;
    }
    calls++;
    for (const resolve of begun) resolve();
    return text(await new Promise<string>((resolve) => waiting.push(resolve)));
  };
  return {
    call,
    answer: (value: string) => {
      for (const resolve of waiting.splice(0)) resolve(value);
    },
    async started(count: number) {
      while (calls < count) await new Promise<void>((resolve) => begun.push(resolve));
    },
  };
}

it('a server that refused the credentials of its entry is not asked again by later calls', async () => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    request.resume();
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`;
  let offset = 0;
  const clock = { ...systemClock, now: () => Date.now() + offset };
  const host = testHost([http()], { clock });
  await host.connect({ one: { url, headers: { authorization: 'Bearer wrong' } } });
  const first = requests;
  expect(first).toBeGreaterThan(0);
  for (let minute = 0; minute < 3; minute++) {
    offset += 60_000;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect(host.callTool({ server: 'one', tool: 'x' })).rejects.toMatchObject({
      code: 'AUTH_REJECTED',
    });
  }
  expect(requests).toBe(first);
  await host.close();
  server.close();
});

describe('a call that is refused for want of a sign-in', () => {
  async function connected() {
    const mood = moody();
    const server = await jsonRpcServer({
      'tools/list': () => ({
        tools: [
          { name: 'secret', inputSchema: { type: 'object' } },
          { name: 'long', inputSchema: { type: 'object' } },
        ],
      }),
      'tools/call': mood.call,
    });
    let closed = 0;
    const plugin: TransportPlugin = http();
    const counting: TransportPlugin = {
      ...plugin,
      create(entry, deps) {
        const transport = plugin.create(entry, deps);
        const close = transport.close.bind(transport);
        transport.close = () => (closed++, close());
        return transport;
      },
    };
    const host = testHost([counting], { auth: [helpless] });
    await host.connect({ one: { url: server.url } });
    expect(host.server('one').state.status).toBe('connected');
    /** Gets the refusal of a call, and waits until the host acts on it. */
    const refused = async () => {
      await expect(host.callTool({ server: 'one', tool: 'secret' })).rejects.toMatchObject({
        code: 'AUTH_REQUIRED',
        delivery: 'rejected',
      });
      await reaches(host, 'one', 'needs-auth');
    };
    onTestFinished(async () => {
      await host.close();
      await server[Symbol.asyncDispose]();
    });
    return { mood, host, refused, closed: () => closed };
  }

  it('lets ten other open calls finish, and then closes the connection', async () => {
    const { mood, host, refused, closed } = await connected();
    const long = Array.from({ length: 10 }, () => host.callTool({ server: 'one', tool: 'long' }));
    await mood.started(10);
    await refused();
    // What comes now is not sent any more.
    await expect(host.callTool({ server: 'one', tool: 'long' })).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
    });
    expect(closed()).toBe(0);
    mood.answer('done');
    expect(await Promise.all(long)).toEqual(Array.from({ length: 10 }, () => text('done')));
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed()).toBe(1);
  });

  it('a sign-in reconnects without waiting for open calls, which do not affect the new connection', async () => {
    const { mood, host, refused } = await connected();
    const long = host.callTool({ server: 'one', tool: 'long' });
    await mood.started(1);
    await refused();
    await host.signIn('one');
    expect(host.server('one').state.status).toBe('connected');
    mood.answer('old');
    expect(await long).toEqual(text('old'));
    expect(host.server('one').state.status).toBe('connected');
    const again = host.callTool({ server: 'one', tool: 'long' });
    await mood.started(2);
    mood.answer('new');
    expect(await again).toEqual(text('new'));
  });

  it('a call that is refused later on the old connection does not end the new one', async () => {
    const { mood, host } = await connected();
    const long = host.callTool({ server: 'one', tool: 'long' });
    await mood.started(1);
    const refused = await Promise.allSettled([
      host.callTool({ server: 'one', tool: 'secret' }),
      host.callTool({ server: 'one', tool: 'secret' }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await host.signIn('one');
    mood.answer('done');
    await long;
    expect(host.server('one').state.status).toBe('connected');
  });

  it('host.stop ends them at once', async () => {
    const { mood, host, refused } = await connected();
    const long = host.callTool({ server: 'one', tool: 'long' });
    await mood.started(1);
    await refused();
    const ended = expect(long).rejects.toMatchObject({ delivery: 'unknown' });
    await host.stop('one');
    await ended;
    expect(host.server('one').state.status).toBe('disconnected');
  });
});
