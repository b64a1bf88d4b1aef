import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { memoryStore } from '@mcp-fittings/store-file';
import {
  authorizedFetch,
  createBearerProvider,
  createClientCredentialsProvider,
  createHeadersCommandProvider,
  createWorkloadProvider,
} from '@mcp-fittings/auth-oauth';
import { createWorld } from './support/world.js';

const MACHINE = {
  client_id: 'machine',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
};

/** A world with one machine, and the options of its provider. */
async function worldOfMachine(secret: string) {
  const world = await createWorld({ clients: [{ ...MACHINE, client_secret: secret }] });
  const { url } = world.resource;
  const options = { url, store: world.store, clientId: 'machine', clientSecret: secret };
  return { ...world, options };
}

/** A command that prints what is in its file, and how often it ran. */
function printing(folder: string) {
  const [file, log] = [join(folder, 'headers'), join(folder, 'log')];
  return {
    command: {
      command: process.execPath,
      args: [join(import.meta.dirname, 'support/print-headers.mjs'), file, log],
    },
    print: (text: string) => writeFile(file, text),
    runs: async () => (await readFile(log, 'utf8')).split('\n').length - 1,
  };
}

describe('client credentials', () => {
  it('obtains a token with a secret, once for twenty calls, and again before it expires', async () => {
    await using world = await worldOfMachine('s3cret:% +/=');
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const provider = createClientCredentialsProvider({ ...world.options, clock });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await world.use(provider)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(world.as.tokenRequests).toHaveLength(1);
    const refused = world.resource.seen.filter((value) => value === undefined).length;
    now += 3_599_000;
    expect((await world.use(provider)).status).toBe(200);
    expect(world.as.tokenRequests).toHaveLength(2);
    expect(world.resource.seen.filter((value) => value === undefined)).toHaveLength(refused);
  });

  it('obtains a token with a private key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'ES256' };
    await using world = await createWorld({
      clients: [{ ...MACHINE, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }],
    });
    const key = await webcrypto.subtle.importKey(
      'jwk',
      privateKey.export({ format: 'jwk' }),
      { name: 'ECDSA', namedCurve: 'P-256' },
      false,
      ['sign'],
    );
    const provider = createClientCredentialsProvider({
      url: world.resource.url,
      store: world.store,
      clientId: 'machine',
      clientKey: { key, kid: 'k1' },
    });
    expect((await world.use(provider)).status).toBe(200);
    await provider.signOut?.();
    expect(await provider.headers({ url: new URL(world.resource.url), method: 'GET' })).toEqual({});
  });

  it('rejects with the refusal of the authorization server, and does not ask again at once', async () => {
    await using world = await worldOfMachine('right');
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const provider = createClientCredentialsProvider({
      ...world.options,
      clientSecret: 'canary-wrong',
      clock,
    });
    const failures = await Promise.allSettled(Array.from({ length: 10 }, () => world.use(provider)));
    for (const failure of failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'AUTH_FAILED' } });
      expect(inspect(failure, { depth: 9 })).not.toContain('canary');
    }
    await expect(world.use(provider)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(world.as.tokenRequests).toHaveLength(1);
    now += 3_000;
    await expect(world.use(provider)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(world.as.tokenRequests).toHaveLength(2);
  });
});

describe('the JWT of a workload', () => {
  it.each([
    ['is not a JWT', () => 'nonsense'],
    [
      'throws',
      () => {
        throw new Error('no file');
      },
    ],
  ])('reports a source that %s', async (_, assertion) => {
    await using world = await createWorld();
    const provider = createWorkloadProvider({ url: world.resource.url, store: memoryStore(), assertion });
    await expect(world.use(provider)).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    expect(world.as.tokenRequests).toHaveLength(0);
  });

  it('surfaces a refusal without a retry and without another grant', async () => {
    await using world = await createWorld();
    const audiences: string[] = [];
    const provider = createWorkloadProvider({
      url: world.resource.url,
      store: memoryStore(),
      assertion: ({ audience }) => {
        audiences.push(audience);
        return 'a.b.c';
      },
    });
    await expect(world.use(provider)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await expect(world.use(provider)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(audiences).toEqual([world.as.origin]);
    expect(world.as.tokenRequests.map(({ grant }) => grant)).toEqual([
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
    ]);
  });
});

describe('a token that is managed elsewhere', () => {
  it('is sent to its server only, and asked for again when it is refused', async () => {
    const url = 'https://mcp.example/mcp';
    const tokens = ['one', 'two', 'two'];
    const provider = createBearerProvider({ url, token: () => tokens.shift() ?? '' });
    const request = { url: new URL(url), method: 'POST' };
    expect(await provider.headers(request)).toEqual({ authorization: 'Bearer one' });
    expect(await provider.headers({ ...request, url: new URL('https://evil.example/') })).toEqual({});
    const challenge = { url: request.url, status: 401 as const };
    expect(await provider.onChallenge({ ...challenge, refused: 'Bearer one' })).toBe('retry');
    await expect(provider.onChallenge({ ...challenge, refused: 'Bearer two' })).rejects.toMatchObject({
      code: 'AUTH_REJECTED',
    });
    const bad = createBearerProvider({ url, token: 'canary\r\nx: y' });
    const error = await bad.headers(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(inspect(error)).not.toContain('canary');
  });
});

describe('headers from a command', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'helper-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('runs once for concurrent requests, again after a refusal, and never shows its output', async () => {
    await using world = await worldOfMachine('s');
    await world.use(createClientCredentialsProvider(world.options));
    const good = world.resource.seen.at(-1) ?? '';
    const { command, print, runs } = printing(folder);
    const { url } = world.resource;
    const provider = createHeadersCommandProvider({ url, server: 'test', ...command });
    const call = authorizedFetch(provider, { url });
    await print('{"Authorization":"Bearer canary-old","X-Team":"a"}');
    const stale = call(url, { method: 'POST', body: '{}' });
    await expect(stale).rejects.toMatchObject({ code: 'AUTH_REJECTED' });
    const first = await runs();
    await print(JSON.stringify({ Authorization: good }));
    const all = await Promise.all(
      Array.from({ length: 20 }, () => call(url, { method: 'POST', body: '{}' })),
    );
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await runs()) - first).toBe(1);
    expect(await provider.headers({ url: new URL('https://evil.example/'), method: 'GET' })).toEqual({});

    for (const wrong of [
      'canary no json',
      '[]',
      '{"authorization":1}',
      '{"bad name":"x"}',
      '{"x":"a\\r\\nb"}',
    ]) {
      await print(wrong);
      const error = await createHeadersCommandProvider({ url, ...command })
        .headers({ url: new URL(url), method: 'GET' })
        .catch((thrown: unknown) => thrown);
      expect(error, wrong).toHaveProperty('code');
      expect(inspect(error, { depth: 9 })).not.toContain('canary');
    }
  });

  describe('that change', () => {
    const url = 'https://mcp.example/mcp';
    const start = () => {
      const { command, print, runs } = printing(folder);
      return { provider: createHeadersCommandProvider({ url, ...command }), print, runs };
    };

    it('are printed again for the request after a refusal for which the program failed', async () => {
      const { provider, print, runs } = start();
      const request = { url: new URL(url), method: 'POST' };
      await print('{"x-key":"old"}');
      await provider.headers(request);
      await print('not yet');
      const refusal = provider.onChallenge({ url: request.url, status: 401 });
      await expect(refusal).rejects.toMatchObject({ code: 'AUTH_FAILED' });
      await print('{"x-key":"new"}');
      expect(await provider.headers(request)).toEqual({ 'x-key': 'new' });
      expect(await runs()).toBe(3);
    });

    it.each(['x-key', 'authorization'])(
      'count for a request that was refused late with the old %s',
      async (name) => {
        const { provider, print, runs } = start();
        const arrived: (() => void)[] = [];
        const call = authorizedFetch(provider, {
          url,
          async fetch(_, init) {
            if (new Headers(init?.headers).get(name) === 'new') return new Response('{}');
            // The first request is refused when the test says so.
            if (arrived.length === 0) await new Promise<void>((resolve) => arrived.push(resolve));
            return new Response(null, { status: 401 });
          },
        });
        await print(JSON.stringify({ [name]: 'old', 'x-team': 'a' }));
        const late = call(url, { method: 'POST', body: '{}' });
        await vi.waitUntil(() => arrived.length > 0, { timeout: 20_000 });
        await print(JSON.stringify({ [name]: 'new', 'x-team': 'a' }));
        expect((await call(url, { method: 'POST', body: '{}' })).status).toBe(200);
        arrived[0]?.();
        expect((await late).status).toBe(200);
        expect(await runs()).toBe(2);
      },
    );

    it('are looked for when the server refuses a configured credential besides', async () => {
      const { provider, print } = start();
      const challenge = { url: new URL(url), status: 401, refused: 'Bearer configured' } as const;
      await print('{"x-key":"old"}');
      const signed = await provider.headers({ url: challenge.url, method: 'POST' });
      await expect(provider.onChallenge({ ...challenge, signed })).rejects.toMatchObject({
        code: 'AUTH_REJECTED',
      });
      await print('{"x-key":"new"}');
      expect(await provider.onChallenge({ ...challenge, signed })).toBe('retry');
      expect(await provider.headers({ url: challenge.url, method: 'POST' })).toEqual({ 'x-key': 'new' });
    });
  });

  it.runIf(process.platform === 'linux')(
    'finds a command in absolute folders only, and so does the command',
    async () => {
      const strange = await mkdtemp(join(tmpdir(), 'strange-'));
      const own = await mkdtemp(join(tmpdir(), 'own-'));
      for (const folder of [strange, own]) {
        const text = `#!${process.execPath}\nconsole.log(JSON.stringify({ from: ${JSON.stringify(folder)}, path: process.env.PATH }));\n`;
        await writeFile(join(folder, 'company-token'), text, { mode: 0o755 });
      }
      const request = { url: new URL('https://mcp.example/'), method: 'GET' };
      const headers = (command: string, PATH: string) =>
        createHeadersCommandProvider({ url: request.url, command, cwd: strange, env: { PATH } }).headers(
          request,
        );
      for (const path of ['', '.', ':/nowhere', '/nowhere:', './', '../' + basename(strange)]) {
        await expect(headers('company-token', path)).rejects.toThrow('could not be started');
      }
      expect(await headers('company-token', `:.:${own}:bin`)).toEqual({ from: own, path: own });
      // A path is meant as it is written.
      expect(await headers('./company-token', own)).toEqual({ from: strange, path: own });
      await Promise.all([strange, own].map((folder) => rm(folder, { recursive: true })));
    },
  );

  it('reports a command that cannot be started, fails, or takes too long', async () => {
    const request = { url: new URL('https://mcp.example/'), method: 'GET' };
    const command = (program: string, args: string[] = [], timeoutMs?: number) =>
      createHeadersCommandProvider({ url: request.url, command: program, args, timeoutMs }).headers(request);
    await expect(command('/no/such/program')).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await expect(command(process.execPath, ['-e', 'process.exit(3)'])).rejects.toThrow('exited with code 3');
    await expect(command(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], 500)).rejects.toThrow(
      'within 500 ms',
    );
    const padded = (bytes: number) =>
      command(process.execPath, ['-e', `process.stdout.write('{"x":"1"}'.padEnd(${bytes}))`]);
    expect(await padded(65_536)).toEqual({ x: '1' });
    await expect(padded(65_537)).rejects.toThrow('more than 65536 bytes');
    // No shell reads the arguments.
    await expect(command('echo "{}"; true')).rejects.toThrow('could not be started');
  });
});
