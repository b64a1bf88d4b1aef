import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Clock } from '@mcp-fittings/client-core';
import { ROBOT } from './support/google-stand-in.js';
import { createWorld, type World } from './support/world.js';

const SCOPES = ['https://www.googleapis.com/auth/drive', 'https://www.googleapis.com/auth/docs'];

/** A clock that stands still until it is advanced. */
function movable(): Clock & { by(ms: number): void } {
  let now = Date.now();
  return {
    now: () => now,
    schedule: () => ({ [Symbol.dispose]() {} }),
    by(ms) {
      now += ms;
    },
  };
}

const lines = ({ google }: World): readonly string[] => google.requests.map(({ line }) => line);
const claims = (headers: Readonly<Record<string, string>>): unknown =>
  JSON.parse(Buffer.from(headers['authorization']?.split('.')[1] ?? '', 'base64url').toString());

describe('application default credentials', () => {
  it('requests an access token with the configured scopes from the metadata server', async () => {
    await using world = await createWorld({ credentials: 'metadata' });
    expect(await world.use(world.provider({ scopes: SCOPES }))).toBe(200);
    expect(lines(world)).toEqual([
      `GET /computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(SCOPES.join(','))}`,
    ]);
  });

  it('requests an ID token for the server itself, or for the configured audience', async () => {
    await using world = await createWorld({ credentials: 'metadata' });
    const { url } = world;
    const headers = (audience?: string) => world.provider({ audience }).headers({ url, method: 'POST' });
    expect(claims(await headers())).toMatchObject({ aud: url.origin });
    const iap = '1234-abc.apps.googleusercontent.com';
    expect(claims(await headers(iap))).toMatchObject({ aud: iap });
  });

  it('bills the project of the credentials, or the configured one', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const { url } = world;
    const project = async (quotaProject?: string) => {
      const provider = world.provider({ scopes: SCOPES, quotaProject });
      return (await provider.headers({ url, method: 'POST' }))['x-goog-user-project'];
    };
    expect(await project()).toBe('my-project');
    expect(await project('other')).toBe('other');
  });

  it('never runs gcloud', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const folder = await mkdtemp(join(tmpdir(), 'fittings-gcloud-'));
    const [program, mark] = [join(folder, 'gcloud'), join(folder, 'was-run')];
    await writeFile(program, `#!/bin/sh\ntouch ${mark}\n`);
    await chmod(program, 0o755);
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
    expect(await world.use(world.provider({ scopes: SCOPES }))).toBe(200);
    expect(existsSync(mark)).toBe(false);
    await rm(folder, { recursive: true });
  });
});

describe('impersonation', () => {
  it('requests an access token as Google documents it', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    expect(await world.use(world.provider({ scopes: SCOPES, serviceAccount: ROBOT }))).toBe(200);
    const [, request] = world.google.requests;
    expect(request?.line).toBe(`POST /v1/projects/-/serviceAccounts/${ROBOT}:generateAccessToken`);
    expect(JSON.parse(request?.body ?? '')).toEqual({ delegates: [], scope: SCOPES, lifetime: '3600s' });
  });

  it('requests an ID token with the audience of the entry', async () => {
    await using world = await createWorld({ credentials: ({ keyFile }) => keyFile });
    const provider = world.provider({ audience: 'https://service.example', serviceAccount: ROBOT });
    expect(await world.use(provider)).toBe(200);
    const [grant, request] = world.google.requests;
    const [, payload = ''] = new URLSearchParams(grant?.body).get('assertion')?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
    expect(request?.line).toBe(`POST /v1/projects/-/serviceAccounts/${ROBOT}:generateIdToken`);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      audience: 'https://service.example',
      includeEmail: true,
    });
  });
});

describe('one token for all requests', () => {
  it('is requested once for concurrent requests', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const provider = world.provider({ scopes: SCOPES });
    const statuses = await Promise.all(Array.from({ length: 20 }, () => world.use(provider)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(lines(world)).toEqual(['POST /token']);
  });

  it('is renewed a minute before it expires, and used until then if that fails', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const clock = movable();
    const { url, google } = world;
    const provider = world.provider({ scopes: SCOPES, clock });
    const sign = async () => (await provider.headers({ url, method: 'POST' }))['authorization'];
    const first = await sign();
    clock.by(3_500_000);
    expect(await sign()).toBe(first);
    google.faults.push({ status: 400, body: '{"error":"invalid_grant"}' });
    clock.by(50_000);
    expect(await sign()).toBe(first);
    expect(google.requests).toHaveLength(2);
    expect(await sign(), 'too early to ask again').toBe(first);
    expect(google.requests).toHaveLength(2);
    clock.by(3_000);
    const second = await sign();
    expect(second).not.toBe(first);
    expect(google.requests).toHaveLength(3);
  });

  it('is not requested without end if it is issued expired', async () => {
    await using world = await createWorld({ credentials: ({ keyFile }) => keyFile });
    world.google.lifetime = -300;
    const provider = world.provider();
    for (let n = 0; n < 5; n++) await provider.headers({ url: world.url, method: 'POST' });
    expect(world.google.requests).toHaveLength(1);
  });

  it('stops when new tokens are refused, and when Google issues no other one', async () => {
    await using world = await createWorld({ credentials: 'metadata' });
    const provider = world.provider({ scopes: SCOPES });
    world.google.caches = true;
    expect(await world.use(provider)).toBe(200);
    world.status = 401;
    for (let n = 0; n < 10; n++)
      await expect(world.use(provider)).rejects.toMatchObject({ code: 'AUTH_REJECTED' });
    expect(world.google.requests.length).toBeLessThanOrEqual(4);
  });

  it('names the missing scope or role after a 403', async () => {
    await using world = await createWorld({ credentials: 'metadata' });
    world.status = 403;
    const code = 'AUTH_SCOPE_INSUFFICIENT';
    const scopes = world.use(world.provider({ scopes: SCOPES }));
    await expect(scopes).rejects.toMatchObject({ code, hint: expect.stringContaining('oauth.scopes') });
    await expect(world.use(world.provider())).rejects.toMatchObject({
      code,
      hint: expect.stringContaining('Cloud Run Invoker'),
    });
  });
});
