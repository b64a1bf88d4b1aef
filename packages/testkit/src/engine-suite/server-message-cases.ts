import assert from 'node:assert/strict';
import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { PATIENT, type EngineCaseGroup } from './engine-case.js';

export const serverMessageCases: EngineCaseGroup = {
  name: 'messages of the server',
  cases: [
    {
      name: 'notifications become events, unknown ones included',
      async run(bench) {
        const server = bench.server();
        const session = await bench.connect(server);
        for (const kind of ['tools', 'prompts', 'resources'])
          server.notify(`notifications/${kind}/list_changed`);
        server.notify('notifications/message', { level: 'warning', data: 'careful' });
        server.notify('notifications/resources/updated', { uri: 'file:///a' });
        server.notify('vendor/news', { title: 'x' });
        // An engine may process notifications later than they arrive, but not later than the next response.
        await bench.within(session.request('ping', {}, PATIENT), 'ping');
        assert.deepEqual(
          bench.events.toSorted(),
          [
            'listChanged prompts',
            'listChanged resources',
            'listChanged tools',
            'log warning "careful"',
            'notification vendor/news',
            'resourceUpdated file:///a',
          ],
          'one event for each notification',
        );
        await session.close();
      },
    },
    {
      name: 'a ping of the server is answered, and an unknown request is refused',
      async run(bench) {
        const server = bench.server();
        const session = await bench.connect(server);
        const pong = await bench.within(server.request('ping'), 'the answer to ping');
        assert.deepEqual(resultOf(pong), {}, 'ping is answered with an empty result');
        const refusal = await bench.within(server.request('vendor/question'), 'the answer to a request');
        assert.ok('error' in refusal, 'an unknown method is answered with an error');
        assert.equal(refusal.error.code, -32_601, 'the error is "method not found"');
        await session.close();
      },
    },
    {
      name: 'elicitation, sampling and roots requests are answered by the callbacks',
      when: ({ serverRequests }) => serverRequests,
      async run(bench) {
        const server = bench.server();
        const message = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'test' };
        const session = await bench.connect(server, {
          callbacks: {
            elicit: async () => ({ action: 'accept', content: { name: 'Ann' } }),
            sample: async () => message,
            roots: async () => [{ uri: 'file:///work' }],
          },
        });
        const form = {
          message: 'Who?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        };
        const elicited = resultOf(
          await bench.within(server.request('elicitation/create', form), 'elicitation'),
        );
        assert.deepEqual(elicited, { action: 'accept', content: { name: 'Ann' } }, 'the answer of the user');
        const prompt = {
          messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
          maxTokens: 9,
        };
        const sampled = resultOf(
          await bench.within(server.request('sampling/createMessage', prompt), 'sampling'),
        );
        assert.deepEqual(sampled['content'], message.content, 'the message of the model');
        const { roots } = resultOf(await bench.within(server.request('roots/list'), 'roots/list'));
        assert.deepEqual(roots, [{ uri: 'file:///work' }], 'the roots');
        await session.close();
      },
    },
  ],
};

function resultOf(response: JSONRPCMessage): Readonly<Record<string, unknown>> {
  assert.ok('result' in response, `a result, not ${JSON.stringify(response)}`);
  return response.result;
}
