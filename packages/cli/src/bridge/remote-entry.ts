import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { headerPairs } from '../arguments/header-pairs.js';
import type { RemoteFlags } from '../arguments/remote-options.js';

/** True for the URL of a server, which may hold variables, as opposed to the name of a configured one. */
export function isServerUrl(text: string): boolean {
  if (text.includes('${')) return /^(?:https?:\/\/|wss?:\/\/|\$\{)/i.test(text);
  return /^(?:https?|wss?):\/\//i.test(text) && URL.canParse(text);
}

/**
 * The entry of a server that is named by its URL, as `mcp-remote` takes it: `${NAME}` and `${NAME:-default}` in the URL, a
 * header and the client id are variables of the environment. Throws `ARGUMENTS_INVALID` for a bad option and `CONFIG_INVALID` for a variable that is not set.
 */
export function remoteEntry(
  written: string,
  flags: RemoteFlags,
  env: Readonly<Record<string, string | undefined>>,
): ServerConfig {
  const { type, clientId, oauthScope: scopes, port } = flags;
  const url = expanded(written, env);
  if (!URL.canParse(url)) {
    throw new FittingsError(
      'ARGUMENTS_INVALID',
      'The URL of the server is not absolute after its variables are expanded.',
    );
  }
  const headers = Object.fromEntries(
    Object.entries(headerPairs(flags.header)).map(([name, value]) => [name, expanded(value, env)]),
  );
  const oauth = {
    ...(clientId !== undefined && { clientId: expanded(clientId, env) }),
    ...(scopes.length > 0 && { scopes }),
    ...(port !== undefined && { callbackPort: portOf(port) }),
  };
  return {
    type: type ?? (/^ws/i.test(url) ? 'ws' : 'http'),
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  };
}

/** Throws if a configured server is given options that only a URL takes. */
export function refuseRemoteFlags(server: string, flags: RemoteFlags): void {
  const { type, header, clientId, oauthScope, port } = flags;
  const isBare = [type, clientId, port].every((flag) => flag === undefined);
  if (isBare && header.length === 0 && oauthScope.length === 0) return;
  throw new FittingsError(
    'ARGUMENTS_INVALID',
    `--type, --header, --client-id, --oauth-scope and --port apply only to a URL, and "${server}" is not a URL.`,
    { hint: 'Set them in the entry of the server, or use its URL.' },
  );
}

function expanded(value: string, env: Readonly<Record<string, string | undefined>>): string {
  return value.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_reference, name: string, fallback: string | undefined) => {
      const found = env[name];
      if (found !== undefined && found !== '') return found;
      if (fallback !== undefined) return fallback;
      throw new FittingsError('CONFIG_INVALID', `The variable ${name} is not set.`, {
        hint: `Set ${name} in the environment of this program.`,
      });
    },
  );
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new FittingsError(
    'ARGUMENTS_INVALID',
    'The port of the OAuth redirect URI is not a valid port number.',
  );
}
