import type { ServerConfig } from '@mcp-fittings/client-core';
import type { LoadedConfig } from '@mcp-fittings/config';
import type { RemoteFlags } from '../arguments/remote-options.js';
import { isServerUrl, refuseRemoteFlags, remoteEntry } from '../bridge/remote-entry.js';
import { usableEntry } from './usable-entry.js';

/** A server that the command line names. */
export interface NamedServer {
  /** The name of its entry; for a URL the URL as it was written, which no entry can be named. */
  readonly name: string;
  readonly config: ServerConfig;
}

/**
 * The server of this name, or at this URL. A URL is a server of its own: it is not given the sign-in of an entry that has the
 * same URL. Throws `ARGUMENTS_INVALID` for options that only a URL takes, and what `usableEntry` and `remoteEntry` throw.
 */
export function namedServer(
  server: string,
  flags: RemoteFlags,
  loaded: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): NamedServer {
  if (isServerUrl(server)) return { name: server, config: remoteEntry(server, flags, env) };
  refuseRemoteFlags(server, flags);
  return { name: server, config: usableEntry(server, loaded) };
}

/** The command that signs in to this very server, to be copied: the client is a part of what a credential belongs to. */
export function loginArguments(server: string, { clientId, oauthScope, port, type }: RemoteFlags): string {
  const options = [
    ...(type === undefined ? [] : ['--type', type]),
    ...(clientId === undefined ? [] : ['--client-id', clientId]),
    ...oauthScope.flatMap((scope) => ['--oauth-scope', scope]),
    ...(port === undefined ? [] : ['--port', port]),
  ];
  return [server, ...options].map(quoted).join(' ');
}

/** As a POSIX shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
