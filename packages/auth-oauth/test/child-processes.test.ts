import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keychainStore } from '@mcp-fittings/store-keychain';
import type { TokenStore } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createRedactor } from '@mcp-fittings/toolbox/text';
import {
  createClientCredentialsProvider,
  createHeadersCommandProvider,
  loopback,
} from '@mcp-fittings/auth-oauth';
import { scriptedPerson } from './support/authorization-server.mjs';
import { watchChildren, type SeenProcess } from './support/child-watch.js';
import { createWorld, type World } from './support/world.js';

const APP = {
  client_id: 'app',
  client_secret: 'canary-of-the-app',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['http://127.0.0.1/callback'],
};
const MACHINE = {
  client_id: 'machine',
  client_secret: 'canary-of-the-machine',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
};

/** A keychain of files, in the real helper process, and all secrets that were stored in it. */
function keychainIn(folder: string, secrets: Set<string>): TokenStore & AsyncDisposable {
  const driver = '../../store-keychain/test/support/drivers/file-keytar.mjs';
  const module = new URL(driver, import.meta.url);
  module.searchParams.set('directory', join(folder, 'items'));
  const store = keychainStore({
    driver: { module },
    lockDirectory: join(folder, 'locks'),
    timeoutMs: 20_000,
  });
  return {
    ...store,
    async set(key, value) {
      for (const [name, each] of leavesOf(value)) {
        if (/token$|secret|^d$/i.test(name)) secrets.add(each);
      }
      await store.set(key, value);
    },
  };
}

function leavesOf(value: object): readonly (readonly [name: string, text: string])[] {
  return Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
    isRecord(each) ? leavesOf(each) : typeof each === 'string' ? [[name, each] as const] : [],
  );
}

/** What was sent to the token endpoint, and must not be shown elsewhere. */
function shownToTheServer({ as }: World): readonly string[] {
  return as.tokenRequests.flatMap(({ body }) =>
    ['code', 'code_verifier', 'refresh_token', 'client_secret'].flatMap((name) => body.get(name) ?? []),
  );
}

// Other systems do not show the environment of a process.
describe.runIf(process.platform === 'linux')('child processes', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('get no secret in arguments or environment: browser, headers command, keychain helper', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'children-'));
    await mkdir(join(folder, 'items'));
    /** A program that runs until it has been inspected. */
    const program = async (name: string, work: string): Promise<string> => {
      const path = join(folder, name);
      const seen = JSON.stringify(`${path}.seen`);
      await writeFile(
        path,
        `#!${process.execPath}
        const { existsSync, writeFileSync } = require('fs');
        ${work};
        const timer = setInterval(() => existsSync(${seen}) && clearInterval(timer), 5);`,
      );
      await chmod(path, 0o755);
      return path;
    };
    const address = join(folder, 'address');
    const opener = await program('xdg-open', `writeFileSync(${JSON.stringify(address)}, process.argv[2])`);
    const command = await program('print-headers', `console.log('{"X-Key":"canary-that-is-printed"}')`);
    vi.stubEnv('PATH', folder);
    vi.stubEnv('HOST_SECRET', 'canary-of-the-host');

    await using world = await createWorld({ clients: [APP, MACHINE], accessTokenTtl: 3600 });
    const secrets = new Set([APP.client_secret, MACHINE.client_secret, 'canary-that-is-printed']);
    await using store = keychainIn(folder, secrets);
    using watch = watchChildren();
    const looked = async (path: string): Promise<void> => {
      await vi.waitUntil(() => watch.named(path).length > 0, { timeout: 20_000 });
      await writeFile(`${path}.seen`, '');
    };

    // Sign-in with a browser, and a refresh.
    const { client_id: clientId, client_secret: clientSecret } = APP;
    const options = { store, clientId, clientSecret, dpop: 'always', interaction: loopback() } as const;
    const signIn = world.use(world.provider(options));
    const page = vi.waitUntil(() => readFile(address, 'utf8').catch(() => ''), { timeout: 20_000 });
    await looked(opener);
    const { location = '' } = await scriptedPerson(await page);
    get(location, (response) => response.resume());
    expect((await signIn).status).toBe(200);
    for (const value of world.resource.seen) world.resource.dead.add(value?.split(' ')[1] ?? '');
    expect((await world.use(world.provider(options))).status).toBe(200);

    // Client credentials, and a headers command.
    const machine = createClientCredentialsProvider({
      url: world.resource.url,
      store,
      clientId: MACHINE.client_id,
      clientSecret: MACHINE.client_secret,
    });
    expect((await world.use(machine)).status).toBe(200);
    const helper = createHeadersCommandProvider({
      command,
      url: world.resource.url,
      env: { FOR_THE_COMMAND: 'given-by-the-host' },
    });
    const headers = helper.headers({ url: new URL(world.resource.url), method: 'POST' });
    await looked(command);
    expect(await headers).toEqual({ 'x-key': 'canary-that-is-printed' });

    for (const each of shownToTheServer(world)) secrets.add(each);
    expect(world.as.tokenRequests.map(({ grant }) => grant)).toEqual([
      'authorization_code',
      'refresh_token',
      'client_credentials',
    ]);
    // Three access tokens, two refresh tokens, a code, a verifier, a private key, and what is named above.
    expect(secrets.size).toBeGreaterThanOrEqual(3 + 2 + 1 + 1 + 1 + 3);

    const redact = createRedactor(secrets);
    expect([watch.named(opener), watch.named(command), watch.named('helper-main')]).toMatchObject([
      [{}],
      [{}],
      [{}],
    ]);
    // Compared here: a failed matcher would print the environments of this machine into the log.
    for (const { commands, environments } of watch.seen.values()) {
      for (const text of [...commands, ...environments]) expect(redact(text) === text).toBe(true);
    }
    // Only the headers command gets what the host passes to it; the helper gets nothing of the host's environment.
    const showing = (text: string): readonly SeenProcess[] =>
      [...watch.seen.values()].filter(({ environments }) => [...environments].join('\n').includes(text));
    const given = showing('FOR_THE_COMMAND=given-by-the-host');
    expect(given.length === 1 && given[0] === watch.named(command)[0]).toBe(true);
    const [ownEnvironment = ''] = showing('MCP_FITTINGS_OWN_PROGRAM=1').map(
      ({ environments }) => [...environments].findLast((text) => text !== '') ?? '',
    );
    expect(ownEnvironment.includes('MCP_FITTINGS_OWN_PROGRAM=1')).toBe(true);
    expect(ownEnvironment.includes('canary-of-the-host')).toBe(false);
    await rm(folder, { recursive: true });
  });
});
