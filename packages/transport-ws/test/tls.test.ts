import { createServer } from 'node:https';
import { createServer as createPlain } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { TLSSocket } from 'node:tls';
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

/** Answers every request with the name in the client's certificate. */
async function startSecure(options: { readonly askForCertificate?: boolean } = {}): Promise<AttachedServer> {
  const { askForCertificate = false } = options;
  const server = createServer({
    ...pki.server,
    ca: pki.ca,
    requestCert: askForCertificate,
    rejectUnauthorized: askForCertificate,
  });
  const attached = await startServer({
    server,
    async onConnection(transport, { socket }) {
      const subject = (socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
      transport.onmessage = (message) => {
        if (!('method' in message) || !('id' in message)) return;
        void transport.send({ jsonrpc: '2.0', id: message.id, result: { who: subject?.CN ?? 'anonymous' } });
      };
      await transport.start();
    },
  });
  return { ...attached, url: attached.url.replace('ws:', 'wss:') };
}

async function whoAmI(url: string, options: Parameters<typeof startedClient>[1]): Promise<unknown> {
  const recorder = await startedClient(url, { apiKey: TOKEN, ...options });
  await using _ = recorder.transport;
  await recorder.request(1, 'who');
  return recorder.messages[0];
}

const who = (name: string): unknown => ({ jsonrpc: '2.0', id: 1, result: { who: name } });

describe('wss: with a private authority', () => {
  it('connects by name and by address, with the authority as text or as a file', async () => {
    await using server = await startSecure();
    const byName = server.url.replace('127.0.0.1', 'localhost');
    expect(await whoAmI(server.url, { network: { ca: pki.ca } })).toEqual(who('anonymous'));
    expect(await whoAmI(byName, { network: { ca: [join(pki.folder, 'ca.pem')] } })).toEqual(who('anonymous'));
  });

  it('fails without it, and says what to configure', async () => {
    await using server = await startSecure();
    const error = await failureOf(client(server.url, { apiKey: TOKEN }).transport.start());
    expect(error).toMatchObject({
      code: 'TLS_FAILED',
      retryable: false,
      hint: expect.stringContaining('`ca`'),
      details: { url: server.url.replace('/mcp', '') },
    });
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) });
  });

  it('fails when the certificate is for another name', async () => {
    await using server = await startSecure();
    // The proxy leads every name to this machine.
    await using proxy = await startProxy();
    const network = { ca: pki.ca, proxy: `http://127.0.0.1:${proxy.port}` };
    const options = { apiKey: TOKEN, network };
    const error = await failureOf(client(`wss://other.example:${server.port}/`, options).transport.start());
    expect(error).toMatchObject({ code: 'TLS_FAILED', cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
    // An address has no SNI, and is checked all the same.
    const byAddress = await failureOf(client(`wss://127.0.0.9:${server.port}/`, options).transport.start());
    expect(byAddress).toMatchObject({ code: 'TLS_FAILED', cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
    expect(await whoAmI(`wss://127.0.0.1:${server.port}/`, options)).toEqual(who('anonymous'));
  });

  it('a server that does not answer the TLS handshake is abandoned, by a timeout or by close()', async () => {
    for (const end of ['time', 'close']) {
      const mute = createPlain();
      await using listening = await listen(mute);
      const asked = new Promise<void>((resolve) => {
        mute.on('connection', (socket) => socket.once('data', () => resolve()));
      });
      const clock = createManualClock();
      const { transport } = client(`wss://127.0.0.1:${listening.port}/`, { clock });
      const failed = failureOf(transport.start());
      await asked;
      const [socket] = listening.sockets;
      const gone = new Promise((resolve) => socket?.once('close', resolve));
      if (end === 'time') await clock.advance(10_000);
      else await transport.close();
      expect(await failed).toMatchObject({ code: end === 'time' ? 'TIMEOUT' : 'TRANSPORT_CLOSED' });
      await gone;
      expect(clock.pending).toBe(0);
    }
  });

  it('a heartbeat counts bytes under TLS too', async () => {
    await using server = await startSecure();
    const clock = createManualClock();
    const recorder = await startedClient(server.url, { network: { ca: pki.ca }, apiKey: TOKEN, clock });
    await using _ = recorder.transport;
    for (let round = 0; round < 4; round++) {
      await clock.advance(30_000);
      await recorder.request(round, 'who');
    }
    await clock.advance(30_000);
    expect(recorder.transport.closeReason).toBeUndefined();
  });
});

describe('a client certificate', () => {
  it('is shown to the server', async () => {
    await using server = await startSecure({ askForCertificate: true });
    const { ca, client: clientCertificate, encryptedKey, passphrase, folder } = pki;
    expect(await whoAmI(server.url, { network: { ca, clientCertificate } })).toEqual(who('client'));
    const locked = { cert: join(folder, 'client.pem'), key: encryptedKey, passphrase };
    expect(await whoAmI(server.url, { network: { ca, clientCertificate: locked } })).toEqual(who('client'));
  });

  it('is missed by a server that wants one', async () => {
    await using server = await startSecure({ askForCertificate: true });
    const error = await failureOf(
      client(server.url, { network: { ca: pki.ca }, apiKey: TOKEN }).transport.start(),
    );
    expect(['TLS_FAILED', 'CONNECT_FAILED']).toContain(error.code);
  });

  it.each([
    ['a file that is not there', () => ({ cert: '/nowhere/canary.pem', key: pki.client.key }), 'cert'],
    ['a key that is locked', () => ({ cert: pki.client.cert, key: pki.encryptedKey }), 'clientCertificate'],
  ])('%s is a config error that shows no key', async (_, certificate, named) => {
    const { transport } = client('wss://127.0.0.1:1/', { network: { clientCertificate: certificate() } });
    const error = await failureOf(transport.start());
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', kind: 'config' });
    expect(error.message).toContain(named);
    const secret = pki.client.key.split('\n')[1] ?? '';
    expect(secret.length).toBeGreaterThan(20);
    expect(inspect([error, transport], { depth: 8, showHidden: true })).not.toContain(secret);
  });
});
