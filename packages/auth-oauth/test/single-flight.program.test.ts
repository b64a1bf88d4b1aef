import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { encryptedFileStore, fileStore } from '@mcp-fittings/store-file';
import { fourProcesses, ROUNDS } from './support/four-processes.js';
import { createWorld, type World } from './support/world.js';

/** Strict rotation: using a refresh token twice ends the whole sign-in. */
describe(`four processes with one store: 20 of 20 get through with one refresh, ${ROUNDS} times`, () => {
  let world: World;
  let path: string;
  beforeEach(async () => {
    world = await createWorld({ accessTokenTtl: 86_400 });
    path = await mkdtemp(join(tmpdir(), 'auth-oauth-'));
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await rm(path, { recursive: true });
  });

  it('files', async () => {
    await fourProcesses(world, fileStore({ path, consent: () => true }), { kind: 'file', path });
  });

  // With a passphrase it is the same store once each process has derived its key from it, which takes a second.
  it('encrypted files', async () => {
    const bytes = randomBytes(32);
    const store = encryptedFileStore({ path, key: () => ({ id: 'test', bytes }) });
    await fourProcesses(world, store, { kind: 'encrypted', path, key: bytes.toString('base64url') });
  });
});
