import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient } from '../src/index.js';
import { makeCertificates, type Certificates } from './support/certificates.js';
import { startHttp, startHttps, startTcp } from './support/http-server.js';
import { request } from './support/request.js';

let pki: Certificates;
beforeAll(() => {
  pki = makeCertificates();
});
afterAll(() => pki[Symbol.dispose]());

async function failureOf(url: string, options: object = {}): Promise<{ message: string; hint?: string }> {
  await using network = createHttpClient({ url, proxy: 'none', ...options });
  return await request(network, { url: new URL(url), method: 'GET' }).then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: unknown) => error as { message: string; hint?: string },
  );
}

describe('what is said about a connection that failed', () => {
  it('names a redirect that was not followed, and a body that is too large', async () => {
    await using server = await startHttp(({ url }, response) =>
      url === '/'
        ? response.writeHead(302, { location: 'https://b.example/x' }).end()
        : response.end('x'.repeat(100)),
    );
    expect((await failureOf(`${server.origin}/`)).message).toBe(
      `${server.origin} redirects to https://b.example; the redirect was not followed.`,
    );
    expect((await failureOf(`${server.origin}/big`, { maxBodyBytes: 10 })).message).toBe(
      `The response body from ${server.origin} exceeds the limit of 10 bytes.`,
    );
  });

  it('says that a port does not speak TLS', async () => {
    await using server = await startHttp((_, response) => response.end());
    const error = await failureOf(server.origin.replace('http:', 'https:'));
    expect(error).toMatchObject({
      code: 'TLS_FAILED',
      hint: `This port does not speak TLS; try ${server.origin}`,
    });
  });

  it('says that a port speaks TLS', async () => {
    await using server = await startHttps(pki.server, (_, response) => response.end());
    const error = await failureOf(server.origin.replace('https:', 'http:'));
    expect(error).toMatchObject({ hint: `If this port speaks TLS, try ${server.origin}` });
    await using alerting = await startTcp((socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])));
    expect(await failureOf(alerting.origin)).toMatchObject({
      hint: `This port speaks TLS; try ${alerting.origin.replace('http:', 'https:')}`,
    });
  });
});
