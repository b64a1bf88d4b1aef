import assert from 'node:assert/strict';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { CLIENT, rejection, type EngineCaseGroup } from './engine-case.js';
import { PROTOCOL_VERSION, RpcFailure } from './scripted-server.js';

const CLIENT_CAPABILITIES = ['elicitation', 'sampling', 'roots'];

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export const connectCases: EngineCaseGroup = {
  name: 'connecting',
  cases: [
    {
      name: 'performs the handshake, which states what host and server are',
      async run(bench) {
        const server = bench.server();
        const session = await bench.connect(server);
        const [hello] = server.sent('initialize');
        assert.deepEqual(hello?.['clientInfo'], CLIENT, 'clientInfo is what the host states about itself');
        assert.equal(session.protocolVersion, PROTOCOL_VERSION, 'protocolVersion is the negotiated revision');
        assert.equal(session.serverInfo?.name, 'scripted', 'serverInfo is that of the server');
        assert.equal(session.serverInfo?.version, '1.2.3', 'serverInfo is that of the server');
        assert.equal(session.instructions, 'Be brief.', 'instructions are those of the server');
        assert.deepEqual(session.capabilities['logging'], {}, 'capabilities are those of the server');
        assert.equal(server.negotiated, PROTOCOL_VERSION, 'setProtocolVersion() has the negotiated revision');
        assert.equal(
          server.sent('notifications/initialized').length,
          1,
          'notifications/initialized is sent once',
        );
        await session.close();
      },
    },
    {
      name: 'declares no capability without its callback',
      async run(bench) {
        const server = bench.server();
        const session = await bench.connect(server);
        const declared = server.sent('initialize')[0]?.['capabilities'];
        assert.ok(isRecord(declared), 'initialize has capabilities');
        for (const name of CLIENT_CAPABILITIES) assert.ok(!(name in declared), `${name} is not declared`);
        await session.close();
      },
    },
    {
      name: 'declares the capabilities whose callback is present',
      when: ({ serverRequests }) => serverRequests,
      async run(bench) {
        const server = bench.server();
        const session = await bench.connect(server, {
          callbacks: {
            elicit: async () => ({ action: 'accept', content: {} }),
            sample: async () => ({}),
            roots: async () => [],
          },
        });
        const declared = server.sent('initialize')[0]?.['capabilities'];
        assert.ok(isRecord(declared), 'initialize has capabilities');
        for (const name of CLIENT_CAPABILITIES) assert.ok(isRecord(declared[name]), `${name} is declared`);
        await session.close();
      },
    },
    {
      name: 'closes the transport and rejects if the server refuses the handshake',
      async run(bench) {
        const server = bench.server({
          initialize: () => {
            throw new RpcFailure(-32_603, 'not today');
          },
        });
        await rejection(bench, bench.connect(server), 'connect()', 'RPC_ERROR');
        assert.ok(server.ended, 'the transport is closed');
      },
    },
    {
      name: 'closes the transport and rejects when its signal is aborted',
      async run(bench) {
        const controller = new AbortController();
        const server = bench.server({
          initialize: () => {
            controller.abort(new Error('given up'));
            return undefined;
          },
        });
        const connecting = bench.connect(server, { signal: controller.signal });
        await rejection(bench, connecting, 'connect()', 'ABORTED');
        assert.ok(server.ended, 'the transport is closed');
      },
    },
  ],
};
