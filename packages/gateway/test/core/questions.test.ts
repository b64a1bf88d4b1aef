import { createServer } from 'node:http';
import { once } from 'node:events';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { createCallbackRouter } from '../../src/callbacks/callback-router.js';
import { gatewayOf, gatewayOver, text, toyServer, type ClientOptions } from './support.js';

const form = {
  mode: 'form' as const,
  message: 'Who?',
  requestedSchema: { type: 'object' as const, properties: { who: { type: 'string' as const } } },
};

/** A server that asks its client during a call, in the way of the 2025 era. */
const asking =
  (open: { started?: () => void; wait?: Promise<void>; canceled?: () => void } = {}) =>
  () =>
    toyServer({
      tools: [
        { name: 'form' },
        { name: 'url' },
        { name: 'sample' },
        { name: 'roots' },
        { name: 'twice' },
        { name: 'wait' },
      ],
      call: async ({ tool, tag }, { mcpReq }, server) => {
        switch (tool) {
          case 'form':
            return text(JSON.stringify(await server.elicitInput(form)));
          case 'twice': {
            const first = await server.elicitInput(form);
            const second = await server.elicitInput(form);
            return text(JSON.stringify([first.content, second.content]));
          }
          case 'url':
            return text(
              JSON.stringify(
                await server.elicitInput({
                  mode: 'url',
                  message: 'Pay',
                  url: 'https://pay.test/1',
                  elicitationId: 'p1',
                }),
              ),
            );
          case 'sample':
            return text(
              JSON.stringify(
                await server.createMessage({
                  messages: [{ role: 'user', content: { type: 'text', text: `think ${String(tag)}` } }],
                  maxTokens: 5,
                }),
              ),
            );
          case 'roots':
            return text(JSON.stringify(await server.listRoots()));
          default:
            mcpReq.signal.addEventListener('abort', () => open.canceled?.());
            open.started?.();
            await open.wait;
            return text('waited');
        }
      },
    });

/** A promise, and the function that resolves it. */
function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A client that answers with its name. */
const answering = (name: string, asked: string[] = []): ClientOptions => ({
  caller: { id: name },
  capabilities,
  prepare(client) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', ...(params.mode !== 'url' && { content: { who: name } }) };
    });
    client.setRequestHandler('sampling/createMessage', () => ({
      model: name,
      role: 'assistant',
      content: { type: 'text', text: name },
    }));
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///${name}` }] }));
  },
});

for (const kind of ['v2', 'modern'] as const) {
  describe(`questions to a client ${kind}`, () => {
    it('passes each kind of question to the client whose call caused it, and its answer back', async () => {
      await using gateway = await gatewayOver({ asking: asking() });
      const client = await gateway[kind](answering('ann'));
      const call = async (tool: string): Promise<string> => {
        const result = await client.callTool({ name: `asking__${tool}`, arguments: {} });
        return JSON.stringify(result.content);
      };
      expect(await call('form')).toContain('ann');
      expect(await call('twice')).toContain('[{\\"who\\":\\"ann\\"},{\\"who\\":\\"ann\\"}]');
      expect(await call('url')).toContain('accept');
      expect(await call('sample')).toContain('\\"model\\":\\"ann\\"');
      expect(await call('roots')).toContain('file:///ann');
    });

    it('refuses a question that the client cannot be asked', async () => {
      await using gateway = await gatewayOver({ asking: asking() });
      const client = await gateway[kind]();
      const error = await client
        .callTool({ name: 'asking__form', arguments: {} })
        .catch((cause: unknown) => cause);
      expect(String(error)).toContain('elicitation');
    });

    it('refuses a question that may be for another client', async () => {
      const { promise: begun, resolve: started } = withResolvers<void>();
      const { promise: wait, resolve: release } = withResolvers<void>();
      await using gateway = await gatewayOver({ asking: asking({ started, wait }) });
      const asked: string[] = [];
      const ann = await gateway[kind](answering('ann', asked));
      const bob = await gateway[kind](answering('bob', asked));
      const waiting = bob.callTool({ name: 'asking__wait', arguments: {} });
      await begun;
      const error = await ann
        .callTool({ name: 'asking__form', arguments: {} })
        .catch((cause: unknown) => cause);
      expect(String(error)).toContain('several of them wait');
      release();
      await waiting;
      expect(asked).toEqual([]);
      expect(JSON.stringify(await ann.callTool({ name: 'asking__form', arguments: {} }))).toContain('ann');
    });
  });
}

it('refuses callbacks that no router has made', async () => {
  await using host = createHost({ name: 'host', version: '1', transports: [] });
  expect(() => gatewayOf(host, { callbacks: { hostCallbacks: {} } })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  );
});

describe('a server that asks late', () => {
  it('does not ask another client for a call that was given up', async () => {
    const { promise: begun, resolve: begin } = withResolvers<void>();
    const { promise: released, resolve: release } = withResolvers<void>();
    const { promise: refused, resolve: refuse } = withResolvers<string>();
    const late = () =>
      toyServer({
        tools: [{ name: 'late' }, { name: 'wait' }],
        call: async ({ tool }, { mcpReq }, server) => {
          if (tool === 'wait') {
            release();
            await refused;
            return text('waited');
          }
          begin();
          await once(mcpReq.signal, 'abort');
          await released;
          // It ignores that its call was canceled.
          await server.elicitInput(form).then(
            () => refuse('answered'),
            (error: unknown) => refuse(String(error)),
          );
          return text('late');
        },
      });
    await using gateway = await gatewayOver({ late });
    const asked: string[] = [];
    const ann = await gateway.v2(answering('ann', asked));
    const bob = await gateway.v2(answering('bob', asked));
    const stop = new AbortController();
    const given = ann.callTool({ name: 'late__late', arguments: {} }, { signal: stop.signal });
    await begun;
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await bob.callTool({ name: 'late__wait', arguments: {} });
    expect(await refused).toContain('several of them wait');
    expect(asked).toEqual([]);
  });
});

for (const kind of ['v1', 'v2'] as const) {
  describe(`a server that ends a call while a client ${kind} is asked`, () => {
    /** SDK v1 ignores that request 0 is canceled. */
    const roots = { roots: [{ uri: 'file:///first' }] };
    /** Never answers, and counts the questions that are withdrawn. */
    const silent = (withdrawn: unknown[], asked: () => void): ClientOptions => ({
      capabilities,
      prepare(client) {
        client.setRequestHandler('roots/list', () => roots);
        client.setRequestHandler('elicitation/create', (_request, { mcpReq }) => {
          asked();
          mcpReq.signal.addEventListener('abort', () => withdrawn.push(mcpReq.signal.reason));
          return new Promise(() => undefined);
        });
      },
    });
    const v1Silent = (withdrawn: unknown[], asked: () => void): ClientOptions => ({
      capabilities,
      prepare: (client) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client is one of SDK v1 here
        const v1 = client as unknown as ClientV1;
        v1.setRequestHandler(ListRootsRequestSchema, () => roots);
        v1.setRequestHandler(ElicitRequestSchema, (_request, { signal }) => {
          asked();
          signal.addEventListener('abort', () => withdrawn.push(signal.reason));
          return new Promise(() => undefined);
        });
      },
    });
    const silently = kind === 'v1' ? v1Silent : silent;

    it('and has executed it: the client gets the result, and the question is withdrawn', async () => {
      const { promise: asked, resolve: ask } = withResolvers<void>();
      const withdrawn: unknown[] = [];
      const impatient = () =>
        toyServer({
          tools: [{ name: 'write' }],
          call: async (_args, _context, server) => {
            await server.listRoots();
            const stop = new AbortController();
            server.elicitInput(form, { signal: stop.signal }).catch(() => undefined);
            await asked;
            stop.abort(new Error('enough'));
            return text('written');
          },
        });
      await using gateway = await gatewayOver({ impatient });
      const client = await gateway[kind](silently(withdrawn, ask));
      const result = await client.callTool({ name: 'impatient__write', arguments: {} });
      expect(result).toMatchObject({ content: [{ text: 'written' }] });
      await vi.waitFor(() => expect(withdrawn).toHaveLength(1));
    });

    it('and fails it, or dies: the client gets the error, and the question is withdrawn', async () => {
      for (const how of ['fail', 'die'] as const) {
        const { promise: asked, resolve: ask } = withResolvers<void>();
        const withdrawn: unknown[] = [];
        const failing = () =>
          toyServer({
            tools: [{ name: 'write' }],
            call: async (_args, _context, server) => {
              await server.listRoots();
              server.elicitInput(form).catch(() => undefined);
              await asked;
              if (how === 'fail') throw new Error('no such row');
              await server.close();
              return new Promise(() => undefined);
            },
          });
        await using gateway = await gatewayOver({ failing });
        const client = await gateway[kind](silently(withdrawn, ask));
        const error = await client
          .callTool({ name: 'failing__write', arguments: {} })
          .catch((cause: unknown) => cause);
        expect(error).toMatchObject({ data: { delivery: 'unknown' } });
        await vi.waitFor(() => expect(withdrawn).toHaveLength(1));
      }
    });

    it('and takes its question back: the client is told, and the call goes on', async () => {
      const { promise: asked, resolve: ask } = withResolvers<void>();
      const withdrawn: unknown[] = [];
      const changing = () =>
        toyServer({
          tools: [{ name: 'write' }],
          call: async (_args, _context, server) => {
            await server.listRoots();
            const stop = new AbortController();
            const answer = server.elicitInput(form, { signal: stop.signal });
            await asked;
            stop.abort(new Error('enough'));
            const ended = await answer.then(
              () => 'answered',
              () => 'withdrawn',
            );
            while (withdrawn.length === 0) await new Promise((resolve) => setImmediate(resolve));
            return text(ended);
          },
        });
      await using gateway = await gatewayOver({ changing });
      const client = await gateway[kind](silently(withdrawn, ask));
      const result = await client.callTool({ name: 'changing__write', arguments: {} });
      expect(result).toMatchObject({ content: [{ text: 'withdrawn' }] });
    });
  });
}

it.each(['v2', 'modern'] as const)(
  'a call is withdrawn at the server when its client cancels it: %s',
  async (kind) => {
    const { promise: gone, resolve: canceled } = withResolvers<void>();
    const { promise: begun, resolve: started } = withResolvers<void>();
    const wait = new Promise<void>(() => undefined);
    await using gateway = await gatewayOver({ asking: asking({ canceled, started, wait }) });
    const client = await gateway[kind](answering('ann'));
    const cancel = new AbortController();
    const call = client.callTool({ name: 'asking__wait', arguments: {} }, { signal: cancel.signal });
    await begun;
    cancel.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await gone;
  },
);

describe('servers of 2026-07-28', () => {
  it('asks the right client of several, because the server says for which call it asks', async () => {
    const make = (): McpServer => {
      const server = new McpServer({ name: 's', version: '1' });
      server.registerTool('greet', {}, ({ mcpReq }) => {
        const named = acceptedContent(mcpReq.inputResponses, 'who', z.object({ who: z.string() }));
        if (named !== undefined) return { content: [{ type: 'text', text: `hello ${named.who}` }] };
        return inputRequired({
          inputRequests: {
            who: inputRequired.elicit({ message: 'Who?', requestedSchema: z.object({ who: z.string() }) }),
          },
        });
      });
      return server;
    };
    const serve = toNodeHandler(createMcpHandler(make));
    const server = createServer(
      (request, response) => void serve(request as Parameters<typeof serve>[0], response),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const callbacks = createCallbackRouter();
    const host = createHost({
      name: 't',
      version: '1',
      transports: [http()],
      callbacks: callbacks.hostCallbacks,
    });
    await host.connect({ stateless: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
    {
      await using gateway = gatewayOf(host, { callbacks });
      const clients = await Promise.all(
        ['ann', 'bob', 'cy', 'dee'].flatMap((name) => [
          gateway.v2(answering(name)),
          gateway.modern(answering(name)),
        ]),
      );
      const results = await Promise.all(
        clients.map((client) => client.callTool({ name: 'stateless__greet', arguments: {} })),
      );
      expect(results.map(({ content }) => JSON.stringify(content))).toEqual(
        ['ann', 'ann', 'bob', 'bob', 'cy', 'cy', 'dee', 'dee'].map((name) =>
          expect.stringContaining(`hello ${name}`),
        ),
      );
    }
    server.closeAllConnections();
    server.close();
  });
});
