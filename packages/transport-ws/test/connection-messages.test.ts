import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { client } from './support/clients.js';
import { listen } from './support/net.js';
import { makeCertificates, type Certificates } from '../../http-client/test/support/certificates.js';
import { startDecidingServer } from './support/refusing-server.js';

let pki: Certificates;
beforeAll(async () => {
  pki = makeCertificates();
});
afterAll(() => pki[Symbol.dispose]());

describe('what is said about a WebSocket that did not open', () => {
  it('names a refused connection in the words of the other transports', async () => {
    const listening = await listen(createServer());
    await listening[Symbol.asyncDispose]();
    const origin = `ws://127.0.0.1:${listening.port}`;
    const error = await failureOf(client(`${origin}/mcp?key=secret`).transport.start());
    expect(error).toMatchObject({
      code: 'CONNECTION_REFUSED',
      retryable: true,
      message: `Connection refused by ${origin}: nothing is listening there.`,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('says that a port does not speak TLS, or that it may', async () => {
    await using plain = await listen(createServer());
    const noTls = await failureOf(client(`wss://127.0.0.1:${plain.port}/`).transport.start());
    expect(noTls).toMatchObject({
      code: 'TLS_FAILED',
      hint: `This port does not speak TLS; try ws://127.0.0.1:${plain.port}`,
    });
    await using secure = await listen(createTlsServer(pki.server));
    const tls = await failureOf(client(`ws://127.0.0.1:${secure.port}/`).transport.start());
    expect(tls.hint).toBe(`If this port speaks TLS, try wss://127.0.0.1:${secure.port}`);
  });

  it('shows the text of a page, not its markup', async () => {
    const body =
      '<!DOCTYPE html><html><head><title>Error</title><style>b{}</style></head><body><pre>Cannot GET /mcp</pre></body></html>';
    await using server = await startDecidingServer(() => ({ status: 404, body }));
    const error = await failureOf(client(server.url).transport.start());
    expect(error.message).toBe(
      'The server answered the upgrade request with 404 Not Found: Error Cannot GET /mcp',
    );
  });
});
