import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { resolveStdioEntry } from '@mcp-fittings/transport-stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from '../../../scripts/bundled.mjs';
import { childEnvironment, networkVariablesWithheld } from '../src/process/environment.js';
import { startToy, toy, toyClient } from './support/toy-client.js';

/** What is about signals, modes, shebangs, or paths that begin with a slash is not about Windows. */
const posix = process.platform !== 'win32';

const run = promisify(execFile);
const HOST = await bundled(fileURLToPath(new URL('support/cloned-host.mjs', import.meta.url)));

let clone: string;
let home: string;
beforeAll(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), 'clone-')));
  home = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
  for (const folder of ['bin', 'node_modules/.bin', 'node_modules/planted'])
    mkdirSync(join(clone, folder), { recursive: true });
  const marker = `#!/bin/sh\necho ran > ${join(clone, 'pwned')}\n`;
  for (const file of ['planted', 'bin/planted', 'node_modules/.bin/planted']) {
    writeFileSync(join(clone, file), marker);
    chmodSync(join(clone, file), 0o755);
  }
  writeFileSync(join(clone, 'package.json'), '{"name":"clone","version":"1.0.0"}');
  writeFileSync(
    join(clone, 'node_modules/planted/package.json'),
    '{"name":"planted","version":"1.0.0","bin":"../.bin/planted"}',
  );
});
afterAll(() => {
  for (const folder of [clone, home]) rmSync(folder, { recursive: true });
});

describe('a server of the user, in a directory with files from a stranger', () => {
  /** What a host says that runs in the clone. */
  async function hostInClone(entry: object, env: Record<string, string> = {}): Promise<string> {
    const { stdout } = await run(process.execPath, [HOST, JSON.stringify(entry)], {
      cwd: clone,
      env: { PATH: process.env['PATH'], HOME: home, ...env },
    });
    return stdout;
  }
  const { command, args = [] } = toy();

  it('starts where its entry says, and without `cwd` where the host stands', async () => {
    expect(JSON.parse(await hostInClone({ command, args, cwd: home }))).toMatchObject({
      result: { cwd: home },
    });
    expect(JSON.parse(await hostInClone({ command, args }))).toMatchObject({ result: { cwd: clone } });
    writeFileSync(
      join(clone, 'server.mjs'),
      `await import(${JSON.stringify(pathToFileURL(args[0] ?? '').href)});`,
    );
    expect(JSON.parse(await hostInClone({ command, args: ['server.mjs', ...args.slice(1)] }))).toMatchObject({
      result: { cwd: clone },
    });
  });

  it.runIf(posix)('started by npx is not taken from node_modules of the working directory', async () => {
    const said = await hostInClone(
      {
        command: 'npx',
        args: ['--no-install', 'planted'],
        cwd: home,
        env: { npm_config_fetch_retries: '0' },
      },
      { npm_config_registry: 'http://127.0.0.1:9' },
    );
    expect(said).toMatch(/^failed: /);
    expect(existsSync(join(clone, 'pwned'))).toBe(false);
    // What is planted does run where the entry asks for it.
    await hostInClone({ command: 'npx', args: ['--no-install', 'planted'], cwd: clone });
    expect(existsSync(join(clone, 'pwned'))).toBe(true);
    rmSync(join(clone, 'pwned'));
  });

  it.each(['', '.', 'bin', `.:/does/not/exist::./bin:`])(
    'with the PATH "%s" is not looked up in its own or the working directory',
    async (path) => {
      expect(await hostInClone({ command: 'planted', cwd: clone, env: { PATH: path } })).toMatch(
        /^failed: .*The command "planted" was not found/,
      );
      expect(await hostInClone({ command: 'planted' }, { PATH: path })).toMatch(
        /The command "planted" was not found/,
      );
      expect(existsSync(join(clone, 'pwned'))).toBe(false);
    },
  );

  it.runIf(posix)('with a relative command is looked up from `cwd`', async () => {
    expect(await hostInClone({ command: './planted', cwd: home })).toMatch(
      /^failed: .*The command ".\/planted" does not exist/,
    );
    expect(await hostInClone({ command: 'bin/planted', cwd: home })).toMatch(/^failed: /);
    expect(existsSync(join(clone, 'pwned'))).toBe(false);
    await hostInClone({ command: './planted', cwd: clone });
    expect(existsSync(join(clone, 'pwned'))).toBe(true);
    rmSync(join(clone, 'pwned'));
  });

  it.runIf(posix)('has a PATH without such parts, for its own children', async () => {
    const path = `.:${clone}::relative:/usr/bin:`;
    await using client = await startToy({ env: { PATH: path } });
    expect(await client.result('env')).toMatchObject({ env: { PATH: `${clone}:/usr/bin` } });
    await using none = await startToy({ env: { PATH: '.' } });
    expect(await none.result('env')).toMatchObject({ env: { PATH: '/usr/bin:/bin' } });
  });

  it('resolves a relative `cwd` against the directory of the host', async () => {
    expect(JSON.parse(await hostInClone({ command, args, cwd: 'bin' }))).toMatchObject({
      result: { cwd: join(clone, 'bin') },
    });
    expect(resolveStdioEntry({ command, cwd: 'bin' }).cwd).toBe(join(process.cwd(), 'bin'));
    expect(resolveStdioEntry({ command }).cwd).toBe(process.cwd());
  });

  it.runIf(posix)(
    'started by the factory: the error names a file on the PATH that is not executable',
    async () => {
      writeFileSync(join(home, 'plain-tool'), 'text');
      const client = toyClient({ command: 'plain-tool', env: { PATH: home } });
      await expect(client.transport.start()).rejects.toMatchObject({ code: 'COMMAND_NOT_EXECUTABLE' });
    },
  );
});

describe('on Windows (a stand-in)', () => {
  it('the environment keeps the working directory out of the search', () => {
    const env = childEnvironment({ Path: String.raw`.;C:\a;;b;C:c;\\host\share` }, {}, 'safe', 'win32');
    expect(env).toEqual({
      NoDefaultCurrentDirectoryInExePath: '1',
      Path: String.raw`C:\a;\\host\share`,
    });
  });
});

describe('behind a proxy that inspects TLS', () => {
  const parent = {
    PATH: '/bin',
    NODE_EXTRA_CA_CERTS: '/etc/corp.pem',
    SSL_CERT_FILE: '/etc/corp.pem',
    SSL_CERT_DIR: '/etc/certs',
    REQUESTS_CA_BUNDLE: '/etc/corp.pem',
    CURL_CA_BUNDLE: '/etc/corp.pem',
    GIT_SSL_CAINFO: '/etc/corp.pem',
    HTTPS_PROXY: 'http://proxy:8080',
    http_proxy: 'proxy:8080',
    NO_PROXY: 'localhost,.corp',
    ALL_PROXY: 'socks5://proxy:1080',
    npm_config_registry: 'https://npm.corp/',
  };

  it('a server gets what it needs to reach the network', () => {
    expect(childEnvironment({ ...parent, OTHER: 'x' }, {}, 'safe', 'linux')).toEqual(parent);
    expect(childEnvironment({ Https_Proxy: 'http://p:1' }, {}, 'safe', 'win32')).toMatchObject({
      Https_Proxy: 'http://p:1',
    });
  });

  it.each([
    'http://me:secret@proxy:8080',
    'me:secret@proxy:8080',
    ' https://token@npm.corp/',
    'HTTP://me:p%40ss@proxy',
    'socks5h:\\\\me:secret@proxy',
  ])('a proxy with a password is passed on only when it is asked for: %s', (value) => {
    const withPassword = { HTTPS_PROXY: value, https_proxy: value, npm_config_registry: value };
    const given = childEnvironment(withPassword, {}, 'safe', 'linux');
    expect(given).toEqual({});
    expect(networkVariablesWithheld(withPassword, given)).toEqual(Object.keys(withPassword));
    expect(childEnvironment(withPassword, {}, ['HTTPS_PROXY'], 'linux')).toEqual({ HTTPS_PROXY: value });
    expect(childEnvironment(withPassword, {}, 'all', 'linux')).toEqual(withPassword);
  });

  it('names the withheld variables that affect the network, without their values', () => {
    const more = { npm_config_cafile: '/x', UV_INDEX_URL: 'https://u:p@x', PIP_CERT: '', EDITOR: 'ed' };
    const env = childEnvironment({ ...parent, ...more }, { SSL_CERT_FILE: '/own' }, 'safe', 'linux');
    expect(networkVariablesWithheld({ ...parent, ...more }, env)).toEqual([
      'npm_config_cafile',
      'UV_INDEX_URL',
    ]);
  });
});
