import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { http } from '@mcp-fittings/transport-http';
import { testHost } from './support/calculator.js';

describe('a server that refuses the first request', () => {
  it.each([
    [500, 'SERVER_ERROR', true],
    [502, 'SERVER_ERROR', true],
    [403, 'HTTP_STATUS', false],
    [404, 'ENDPOINT_INCOMPATIBLE', false],
  ])(
    'with %i: the error is the one of the transport, not that of the look for an era',
    async (status, code, retryable) => {
      const server = createServer((request, response) => {
        request.resume();
        response.writeHead(status).end('no');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      await using host = testHost([http()]);
      const [snapshot] = await host.connect({ a: { url: `http://127.0.0.1:${port}/mcp` } });
      expect(snapshot?.lastError).toMatchObject({ code, retryable, details: { status } });
      expect(snapshot?.state.status).toBe(retryable ? 'pending' : 'failed');
      await host.close();
      server.close();
      server.closeAllConnections();
    },
  );
});
