import { createServer as createHttps } from 'node:https';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { client, startedClient } from './support/clients.js';
import { startProxy } from './support/connect-proxy.js';
import { startServer, TOKEN, type AttachedServer } from './support/mcp-server.js';
import { listen } from './support/net.js';
import { makeCertificates, type Certificates } from '../../http-client/test/support/certificates.js';

let pki: Certificates;
beforeAll(async () => {
  pki = makeCertificates();
});
afterAll(() => pki[Symbol.dispose]());

function serve(options: { readonly secure: boolean }): Promise<AttachedServer> {
  return startServer({
    ...(options.secure && { server: createHttps(pki.server) }),
    allowedHosts: 'any',
    async onConnection(transport) {
      transport.onmessage = (message) => {
        if ('method' in message && 'id' in message) {
          void transport.send({ jsonrpc: '2.0', id: message.id, result: {} });
        }
      };
      await transport.start();
    },
  });
}

describe('a proxy', () => {
  it('carries ws: and wss: through a tunnel; the server sees our credentials, the proxy does not', async () => {
    for (const secure of [false, true]) {
      await using server = await serve({ secure });
      await using proxy = await startProxy();
      const { port } = server;
      const recorder = await startedClient(`${secure ? 'wss' : 'ws'}://localhost:${port}/mcp`, {
        apiKey: TOKEN,
        network: { ca: pki.ca, proxy: `http://127.0.0.1:${proxy.port}` },
      });
      await using _ = recorder.transport;
      await recorder.request(1);
      expect(proxy.asked).toMatchObject([{ authority: `localhost:${port}` }]);
      expect(JSON.stringify(proxy.asked)).not.toContain(TOKEN);
      expect(recorder.transport.describe?.()).toMatchObject({ proxy: `127.0.0.1:${proxy.port}` });
    }
  });

  it('may speak TLS itself, and is given its user and password only', async () => {
    await using server = await serve({ secure: true });
    await using proxy = await startProxy({ identity: pki.server });
    const recorder = await startedClient(`wss://localhost:${server.port}/mcp`, {
      apiKey: TOKEN,
      network: {
        ca: pki.ca,
        clientCertificate: pki.client,
        proxy: `https://user%40corp:p%3Ass@localhost:${proxy.port}`,
      },
    });
    await using _ = recorder.transport;
    await recorder.request(1);
    const basic = Buffer.from('user@corp:p:ss').toString('base64');
    expect(proxy.asked).toMatchObject([
      { headers: { 'proxy-authorization': `Basic ${basic}` }, certificate: false },
    ]);
    expect(inspect([recorder.transport, recorder.transport.describe?.()], { depth: 6 })).not.toContain(
      'p%3Ass',
    );
  });

  it('is found in the environment by default', async () => {
    await using server = await serve({ secure: false });
    await using proxy = await startProxy();
    const env = { http_proxy: `http://127.0.0.1:${proxy.port}` };
    // A name that does not resolve here: only the proxy knows it.
    const recorder = await startedClient(`ws://server.invalid:${server.port}/mcp`, {
      apiKey: TOKEN,
      allowInsecure: true,
      network: { env },
    });
    await using _ = recorder.transport;
    await recorder.request(1);
    expect(proxy.asked).toMatchObject([{ authority: `server.invalid:${server.port}` }]);
  });

  it.each([
    [407, 'user name and password', false],
    [403, 'allows connections to this host', false],
    [502, 'proxy settings', true],
  ])('that answers %i is named in the error, and its password is not', async (status, hint, retryable) => {
    await using proxy = await startProxy({ refuse: () => status });
    const url = `http://user:canary@127.0.0.1:${proxy.port}`;
    const error = await failureOf(
      client('ws://far.example/mcp', {
        allowInsecure: true,
        network: { proxy: url },
        server: 'far',
      }).transport.start(),
    );
    expect(error).toMatchObject({
      code: 'PROXY_FAILED',
      retryable,
      server: 'far',
      details: { status },
      hint: expect.stringContaining(hint),
    });
    expect(error.message).toContain(`127.0.0.1:${proxy.port}`);
    expect(inspect(error, { depth: 6 })).not.toContain('canary');
  });

  it('that is not there, that hangs up, and that says nothing', async () => {
    const closed = await listen(createServer());
    await closed[Symbol.asyncDispose]();
    expect(
      await failureOf(
        client('ws://far.example/', {
          allowInsecure: true,
          network: { proxy: `http://127.0.0.1:${closed.port}` },
        }).transport.start(),
      ),
    ).toMatchObject({ code: 'PROXY_FAILED', cause: { code: 'ECONNREFUSED' } });

    await using rude = await listen(createServer((socket) => socket.destroy()));
    expect(
      await failureOf(
        client('ws://far.example/', {
          allowInsecure: true,
          network: { proxy: `http://127.0.0.1:${rude.port}` },
        }).transport.start(),
      ),
    ).toMatchObject({ code: 'PROXY_FAILED' });

    const mute = createServer();
    await using listening = await listen(mute);
    const asked = new Promise<void>((resolve) => {
      mute.on('connection', (socket) => socket.once('data', () => resolve()));
    });
    const clock = createManualClock();
    const proxy = `http://127.0.0.1:${listening.port}`;
    const waiting = failureOf(
      client('ws://far.example/', { allowInsecure: true, network: { proxy }, clock }).transport.start(),
    );
    await asked;
    const [socket] = listening.sockets;
    const gone = new Promise((resolve) => socket?.once('close', resolve));
    await clock.advance(10_000);
    expect(await waiting).toMatchObject({ code: 'TIMEOUT' });
    await gone;
  });
});
