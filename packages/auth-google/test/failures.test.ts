import { writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type AuthProvider, AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { CANARIES } from './support/google-stand-in.js';
import { createWorld, type World } from './support/world.js';

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];

async function failureOf(world: World, provider: AuthProvider): Promise<FittingsError> {
  const error: unknown = await provider
    .headers({ url: world.url, method: 'POST' })
    .catch((cause: unknown) => cause);
  if (!(error instanceof FittingsError)) throw new Error(`not ours: ${inspect(error)}`);
  const shown = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
  for (const canary of [
    ...Object.values(CANARIES),
    'canary-key',
    'PRIVATE KEY',
    ...world.google.alive.keys(),
  ]) {
    expect(shown).not.toContain(canary);
  }
  return error;
}

describe('without a token, the error says what to do', () => {
  it('no credentials: names the command to run', async () => {
    await using world = await createWorld({ credentials: 'none' });
    const error = await failureOf(world, world.provider({ scopes }));
    expect(error).toMatchObject({ code: 'AUTH_FAILED', kind: 'auth', server: 'cloud' });
    expect(error.hint).toContain('gcloud auth application-default login');
    expect(world.google.requests).toEqual([]);
  });

  it('a file that is not JSON: names the file, and shows nothing of its content', async () => {
    await using world = await createWorld({ credentials: 'garbage' });
    const error = await failureOf(world, world.provider({ scopes }));
    expect(error.code).toBe('AUTH_FAILED');
    expect(error.hint).toContain('GOOGLE_APPLICATION_CREDENTIALS');
  });

  it('an expired sign-in: says to sign in again, shows no refresh token, and notices the new one', async () => {
    let good: unknown;
    await using world = await createWorld({
      credentials({ userFile }) {
        good = userFile;
        return { ...userFile, client_secret: 'canary-key' };
      },
    });
    let passed = 0;
    const clock = { ...systemClock, now: () => Date.now() + passed };
    const provider = world.provider({ scopes, clock });
    const error = await failureOf(world, provider);
    expect(error).toBeInstanceOf(AuthRequiredError);
    expect(error).toMatchObject({ details: { oauthError: 'invalid_grant', status: 400 } });
    expect(error.hint).toContain('gcloud auth application-default login');
    expect(await provider.hasNewSignIn?.(undefined)).toBe(false);
    await writeFile(process.env['GOOGLE_APPLICATION_CREDENTIALS'] ?? '', JSON.stringify(good));
    passed = 60_000;
    expect(await provider.hasNewSignIn?.(undefined)).toBe(true);
    expect(await world.use(provider)).toBe(200);
  });

  it('a service account that may not be impersonated: names the role', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const error = await failureOf(
      world,
      world.provider({ scopes, serviceAccount: 'boss@x.iam.gserviceaccount.com' }),
    );
    expect(error).toMatchObject({ code: 'AUTH_FAILED', details: { status: 403 } });
    expect(error.message).toContain('PERMISSION_DENIED');
    expect(error.hint).toContain('Service Account Token Creator');
  });

  it('does not send an ID token with another audience', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const error = await failureOf(world, world.provider());
    expect(error.code).toBe('AUTH_FAILED');
    expect(error.hint).toContain('targetServiceAccount');
  });

  // Together: the library waits for seconds before it tries again.
  it.concurrent.each([
    [429, 'RATE_LIMITED'],
    [503, 'SERVER_ERROR'],
  ])('trouble at Google (%i) may pass: %s', async (status, code) => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    // The library retries.
    world.google.faults.push(...Array.from({ length: 6 }, () => ({ status, body: 'come back later' })));
    expect(await failureOf(world, world.provider({ scopes }))).toMatchObject({ code, retryable: true });
  });

  it('does not send a token with characters that a header cannot hold', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const body = JSON.stringify({ access_token: 'a b', expires_in: 9, token_type: 'Bearer' });
    world.google.faults.push({ status: 200, body });
    expect(await failureOf(world, world.provider({ scopes }))).toMatchObject({ code: 'AUTH_FAILED' });
  });

  it('escapes and shortens the text of the token service', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const body = JSON.stringify({ error: 'odd', error_description: `\u001b[31m${'x'.repeat(9000)}` });
    world.google.faults.push({ status: 400, body });
    const { message } = await failureOf(world, world.provider({ scopes }));
    expect(message).not.toContain('\u001b');
    expect(message.length).toBeLessThan(400);
  });

  it('no response: TIMEOUT', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    world.google.silent = true;
    expect(await failureOf(world, world.provider({ scopes, timeoutMs: 150 }))).toMatchObject({
      code: 'TIMEOUT',
    });
  });

  it('remembers a failure for a while, so that many calls do not cause many requests', async () => {
    await using world = await createWorld({
      credentials: ({ userFile }) => ({ ...userFile, client_secret: 'wrong' }),
    });
    const provider = world.provider({ scopes });
    for (let n = 0; n < 5; n++) await failureOf(world, provider);
    expect(world.google.requests).toHaveLength(1);
  });

  it('token requests follow the address policy', async () => {
    await using world = await createWorld({ credentials: ({ userFile }) => userFile });
    const provider = world.provider({ scopes, endpoints: { token: 'https://10.0.0.1/token' }, network: {} });
    expect(await failureOf(world, provider)).toMatchObject({ code: 'ADDRESS_BLOCKED' });
    const plain = world.provider({
      scopes,
      endpoints: { token: 'http://oauth2.example/token' },
      network: {},
    });
    expect(await failureOf(world, plain)).toMatchObject({ code: 'POLICY_DENIED' });
  });
});
