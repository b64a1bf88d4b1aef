import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { authorizedFetch, toSdkAuthProvider } from '@mcp-fittings/auth-oauth';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { createProofChecker } from './support/proof-checker.js';
import { createWorld } from './support/world.js';

describe('DPoP', () => {
  it.each([false, true])(
    'binds the token to a key that outlives the process (nonces: %s)',
    async (dpopNonce) => {
      await using world = await createWorld({ dpopNonce });
      world.resource.dpopOnly = true;
      const provider = world.provider();
      expect((await world.use(provider)).status).toBe(200);
      const [scheme, token = ''] = world.resource.seen.at(-1)?.split(' ') ?? [];
      expect(scheme).toBe('DPoP');
      const bound = await world.as.find(token);
      expect(bound?.jkt).toMatch(/^[\w-]{43}$/);

      // A new process: the same key, also for the refresh.
      world.resource.dead.add(token);
      const next = world.provider({ interaction: undefined });
      expect((await world.use(next)).status).toBe(200);
      const renewed = await world.as.find(world.resource.seen.at(-1)?.split(' ')[1] ?? '');
      expect(renewed?.jkt).toBe(bound?.jkt);
    },
  );

  it('makes a new proof for every request, and a new key after signing out', async () => {
    await using world = await createWorld();
    world.resource.dpopOnly = true;
    const provider = world.provider();
    await world.use(provider);
    const request = { url: new URL(world.resource.url), method: 'POST' };
    const [a, b] = [await provider.headers(request), await provider.headers(request)];
    expect(a['dpop']).toBeDefined();
    expect(a['dpop']).not.toBe(b['dpop']);
    await provider.signOut?.();
    // What the first challenge demanded still counts.
    await provider.signIn?.({});
    const keyOf = (proof = ''): unknown =>
      JSON.parse(Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString()).jwk;
    expect(keyOf((await provider.headers(request))['dpop'])).not.toEqual(keyOf(a['dpop']));
  });

  it('uses the key of a sign-in that another process has made since', async () => {
    await using world = await createWorld();
    const proofs = createProofChecker(2);
    Object.assign(world.resource, { dpopOnly: true, proofs });
    const [first, second] = [world.provider(), world.provider()];
    await world.use(first);
    await second.signOut?.();
    await second.signIn?.({});
    const fetch = authorizedFetch(first, { url: world.resource.url });
    expect((await fetch(world.resource.url, { method: 'POST', body: '{}' })).status).toBe(200);
    const now = await world.as.find(world.resource.seen.at(-1)?.split(' ')[1] ?? '');
    // Also for the refresh.
    world.resource.dead.add(world.resource.seen.at(-1)?.split(' ')[1] ?? '');
    expect((await fetch(world.resource.url, { method: 'POST', body: '{}' })).status).toBe(200);
    expect((await world.as.find(world.resource.seen.at(-1)?.split(' ')[1] ?? ''))?.jkt).toBe(now?.jkt);
    expect(await world.store.get(`oauth\n${world.resource.url}`)).toHaveProperty('refreshToken');
    expect(proofs.trouble).toBe('');
  });

  it('answers a nonce challenge of the server with a proof that carries it', async () => {
    await using world = await createWorld();
    world.resource.dpopOnly = true;
    const provider = world.provider();
    await world.use(provider);
    const url = new URL(world.resource.url);
    const { authorization: refused } = await provider.headers({ url, method: 'POST' });
    const wwwAuthenticate = 'DPoP error="use_dpop_nonce"';
    expect(await provider.onChallenge({ url, status: 401, wwwAuthenticate, dpopNonce: 'n-1', refused })).toBe(
      'retry',
    );
    const { dpop = '' } = await provider.headers({ url, method: 'POST' });
    expect(JSON.parse(Buffer.from(dpop.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      nonce: 'n-1',
      htm: 'POST',
      htu: url.href,
    });
    expect(world.as.tokenRequests).toHaveLength(1);
  });

  describe('RFC 9449 8.2 at a server that checks proofs and changes the nonce with every reply', () => {
    const MCP = { id: 1, jsonrpc: '2.0', method: 'ping' };
    const answer = ({ id }: { readonly id?: unknown }) => ({ jsonrpc: '2.0', id, result: {} });

    it('authorizedFetch is refused once for a missing nonce, and never again', async () => {
      await using world = await createWorld({ dpopNonce: true });
      const proofs = createProofChecker();
      Object.assign(world.resource, { dpopOnly: true, proofs });
      const provider = world.provider();
      for (let n = 0; n < 5; n++) expect((await world.use(provider)).status).toBe(200);
      expect(proofs.verdicts).toEqual(['use_dpop_nonce', 'good', 'good', 'good', 'good', 'good']);
      expect(proofs.trouble).toBe('');
    });

    it('recovers from a dead token and a missing nonce in one request', async () => {
      await using world = await createWorld({ dpopNonce: true });
      const proofs = createProofChecker();
      Object.assign(world.resource, { dpopOnly: true, proofs });
      const provider = world.provider();
      await world.use(provider);
      world.resource.dead.add(world.resource.seen.at(-1)?.split(' ')[1] ?? '');
      proofs.next();
      expect((await world.use(provider)).status).toBe(200);
      expect(proofs.trouble).toBe('');
    });

    for (const [name, sse] of [
      ['transport-http', false],
      ['transport-sse', true],
    ] as const) {
      it(`${name} sends no message twice but the first request`, async () => {
        await using world = await createWorld();
        const proofs = createProofChecker(sse ? 2 : 0);
        Object.assign(world.resource, { dpopOnly: true, answer, proofs, sse });
        const auth = world.provider();
        await world.use(auth);
        const before = proofs.verdicts.length;
        const { url } = world.resource;
        await using transport = sse ? createSseTransport({ url, auth }) : createHttpTransport({ url, auth });
        await transport.start();
        for (let n = 0; n < 5; n++) await transport.send({ ...MCP, jsonrpc: '2.0', id: n });
        expect(new Set(proofs.verdicts.slice(before))).toEqual(new Set(['good']));
        expect(proofs.verdicts.length - before).toBe(sse ? 6 : 5);
      });
    }
  });

  it('rejects an SDK option that supports bearer tokens only', async () => {
    await using world = await createWorld();
    world.resource.dpopOnly = true;
    const provider = world.provider();
    await world.use(provider);
    const { url } = world.resource;
    await expect(toSdkAuthProvider(provider, { url }).token()).rejects.toMatchObject({
      code: 'CAPABILITY_MISSING',
    });
    const response = await authorizedFetch(provider, { url })(url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(200);
    expect(inspect(provider, { depth: 9, showHidden: true })).not.toContain('"d"');
  });
});
