import { createHmac } from 'node:crypto';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../../../scripts/free-port.mjs';

const PROGRAM = '/usr/bin/glewlwyd';
const SCHEMA = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const MODULES = '/usr/lib/glewlwyd';
const SIGNING_KEY = 'a key that is for these tests only';
/** The administrator that the schema of the package brings. */
const PERSON = { username: 'admin', password: 'password' };

/** What of `apt-get install glewlwyd sqlite3` is not there; empty when the tests can run. */
export function missingParts(): readonly string[] {
  const missing = [PROGRAM, SCHEMA].filter((path) => !existsSync(path));
  return spawnSync('sqlite3', ['--version']).error === undefined ? missing : [...missing, 'sqlite3'];
}

/** An authorization server of another make, with a folder and a database of its own. */
export interface Glewlwyd extends AsyncDisposable {
  readonly issuer: string;
  readonly process: ChildProcess;
  /** The scope of an access token that this server signed for the resource; undefined for any other token. */
  find(token: string): Promise<{ readonly scope: string } | undefined>;
  /** A client without a secret, which cannot be registered there without the administrator. */
  addPublicClient(clientId: string, redirectUri: string): Promise<void>;
  /** Signs in, agrees to everything, and gives back where the server sends the browser then. */
  person(start: string | URL): Promise<URL>;
}

export async function startGlewlwyd(resource: string): Promise<Glewlwyd> {
  const folder = await mkdtemp(join(tmpdir(), 'glewlwyd-'));
  const database = join(folder, 'glewlwyd.db');
  const schema = spawnSync('sqlite3', [database], { input: await readFile(SCHEMA), encoding: 'utf8' });
  if (schema.status !== 0) throw new Error(`sqlite3: ${schema.stderr}`);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}/api/oidc`;
  const configuration = join(folder, 'glewlwyd.conf');
  await writeFile(configuration, configurationOf(port, database));
  const child = spawn(PROGRAM, [`--config-file=${configuration}`], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exit;
    await rm(folder, { recursive: true });
  };

  let cookie = '';
  const api = async (method: string, path: string, body?: unknown): Promise<string> => {
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      body: body === undefined ? null : JSON.stringify(body),
    });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  try {
    await vi.waitUntil(() => answers(child, `${origin}/config`), { timeout: 20_000, interval: 50 });
    await api('POST', '/auth/', PERSON);
    await api('POST', '/scope/', { name: 'tools', password_required: true, scheme: {} });
    const user = JSON.parse(await api('GET', `/user/${PERSON.username}`));
    await api('PUT', `/user/${PERSON.username}`, { ...user, scope: [...user.scope, 'tools'] });
    await api('POST', '/mod/plugin/', {
      module: 'oidc',
      name: 'oidc',
      display_name: 'tests',
      parameters: pluginOf(issuer, resource),
    });
  } catch (error) {
    await end();
    throw error;
  }

  return {
    issuer,
    process: child,
    find: async (token) => scopeOf(token, resource),
    async addPublicClient(clientId, redirectUri) {
      await api('POST', '/client/', {
        client_id: clientId,
        name: clientId,
        confidential: false,
        enabled: true,
        redirect_uri: [redirectUri],
        authorization_type: ['code', 'refresh_token'],
        token_endpoint_auth_method: ['none'],
      });
    },
    async person(start) {
      const url = new URL(start);
      await api('POST', '/auth/', PERSON);
      const scope = url.searchParams.get('scope') ?? '';
      await api('PUT', `/auth/grant/${url.searchParams.get('client_id')}`, { scope });
      // What its page adds when the person pressed "continue".
      url.searchParams.set('g_continue', '');
      const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
      return new URL(location);
    },
    [Symbol.asyncDispose]: end,
  };
}

async function answers(child: ChildProcess, url: string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`glewlwyd ended with ${child.exitCode}`);
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Its access tokens are JWTs, so that a resource can tell by itself. */
function scopeOf(token: string, resource: string): { readonly scope: string } | undefined {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', SIGNING_KEY).update(`${header}.${payload}`).digest('base64url');
  if (signature !== expected) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return claims.aud === resource && claims.exp * 1000 > Date.now() ? { scope: claims.scope } : undefined;
}

function configurationOf(port: number, database: string): string {
  return `port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="ERROR"
cookie_secure=0
session_expiration=3600
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${MODULES}/user"
client_module_path="${MODULES}/client"
user_auth_scheme_module_path="${MODULES}/scheme"
plugin_module_path="${MODULES}/plugin"
secure_connection_key_file=""
secure_connection_pem_file=""
use_secure_connection=false
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${database}"; };
`;
}

function pluginOf(issuer: string, resource: string): Readonly<Record<string, unknown>> {
  return {
    iss: issuer,
    'jwt-type': 'sha',
    'jwt-key-size': '256',
    key: SIGNING_KEY,
    'access-token-duration': 3600,
    'refresh-token-duration': 86_400,
    'code-duration': 600,
    'refresh-token-rolling': false,
    'refresh-token-one-use': 'always',
    'allow-non-oidc': true,
    'auth-type-code-enabled': true,
    'auth-type-code-revoke-replayed': true,
    'auth-type-token-enabled': false,
    'auth-type-id-token-enabled': true,
    'auth-type-none-enabled': false,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': false,
    'auth-type-device-enabled': false,
    'auth-type-refresh-enabled': true,
    'pkce-allowed': true,
    'pkce-method-plain-allowed': false,
    'pkce-required': true,
    'oauth-as-iss-id': true,
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
    'register-client-allowed': true,
    'register-client-auth-scope': [],
    'register-client-credentials-scope': [],
    'register-client-management-allowed': false,
    'resource-allowed': true,
    'resource-scope': { tools: [resource] },
    'resource-scope-and-client-property': false,
    'subject-type': 'public',
    'jwks-show': true,
  };
}
