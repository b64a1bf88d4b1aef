import type { ServerConfig } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/toolbox/text';
import type { LoadedConfig, ServerEntry } from '@mcp-fittings/config';
import { headerPairs } from '../arguments/option-values.js';
import type { RemoteOptions } from '../options.js';
import { isOfFile } from '../output/config-problems.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';

/** A server that the command line names. */
export interface ResolvedServer {
  /** Name of its entry, or the URL as written, which cannot be the name of an entry. */
  readonly name: string;
  readonly config: ServerConfig;
}

/**
 * Returns the server with this name or URL. A URL is a server of its own: it does not share the sign-in of an entry with
 * the same URL. Throws `ARGUMENTS_INVALID` for options that apply only to a URL, and what `usableEntry` and
 * `remoteEntry` throw.
 */
export function resolveServer(
  server: string,
  flags: RemoteOptions,
  loaded: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): ResolvedServer {
  if (isServerUrl(server)) return { name: server, config: remoteEntry(server, flags, env) };
  refuseRemoteOptions(flags);
  return { name: server, config: usableEntry(server, loaded) };
}

/**
 * Returns the arguments of the command that signs in to this server. A credential belongs to its client and account, so
 * these are two of them.
 */
export function loginArguments(
  server: string,
  { clientId, oauthScope, account, port, type }: RemoteOptions,
): string {
  const options = [
    ...(type === undefined ? [] : ['--type', type]),
    ...(clientId === undefined ? [] : ['--client-id', clientId]),
    ...oauthScope.flatMap((scope) => ['--oauth-scope', scope]),
    ...(account === undefined ? [] : ['--account', account]),
    ...(port === undefined ? [] : ['--port', port]),
  ];
  return [server, ...options].map(quoted).join(' ');
}

/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the definition of a server that is used, or undefined. */
export function findEntry({ entries }: LoadedConfig, server: string): ServerEntry | undefined {
  return entries.find(({ name, status }) => name === server && status !== 'replaced');
}

/** Returns the entry of a server. Throws `SERVER_UNKNOWN`, or why the entry cannot be used. */
export function usableEntry(name: string, loaded: LoadedConfig): ServerConfig {
  const { servers } = loaded;
  const config = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (config !== undefined) return config;
  const entry = findEntry(loaded, name);
  if (entry === undefined) throw unknownServer(name, loaded);
  switch (statusOf(entry)) {
    case 'pending':
      throw new CommandError(
        'APPROVAL_REQUIRED',
        entry.approval?.changed === true
          ? `The definition of the server "${name}" has changed since you approved it.`
          : `The server "${name}" has not been approved.`,
        { server: name, hint: `Review it: fittings approve ${name}` },
      );
    case 'rejected':
      throw new CommandError('APPROVAL_REQUIRED', `You rejected the server "${name}".`, {
        server: name,
        hint: `Change your decision: fittings approve ${name}`,
      });
    case 'denied':
      throw new CommandError('POLICY_DENIED', `A policy forbids the server "${name}".`, { server: name });
    default:
      throw invalidEntry(entry);
  }
}

/** Returns the status of an entry. One whose decision cannot be read has nothing to review: it is invalid. */
export function statusOf({ status, problems }: ServerEntry): ServerEntry['status'] {
  return problems.some(({ code }) => code === 'APPROVAL_FAILED') ? 'invalid' : status;
}

/** Creates the error for an entry with an error. */
export function invalidEntry({ name, problems }: ServerEntry): CommandError {
  const problem = problems.find(({ severity }) => severity === 'error');
  const message = problem?.message ?? `The server "${name}" cannot be used.`;
  return new CommandError('CONFIG_INVALID', message, { server: name, hint: problem?.hint });
}

/** Says why a server is disabled, if its entry does not say it itself, and what enables it. */
export function whyDisabled({ name, problems }: Pick<ServerEntry, 'name' | 'problems'>): {
  readonly message: string;
  readonly hint: string;
} {
  const by = problems.find(({ code }) => code === 'RESTRICTED');
  // `enable` changes an entry, and no other setting of its file.
  const isSetting = by !== undefined && (by.path ?? '') === '';
  return {
    message: `The server "${name}" is disabled.${by === undefined ? '' : ` ${by.message}`}`,
    hint: isSetting ? 'Remove the server from that setting.' : `Enable it: fittings enable ${name}`,
  };
}

/** Throws `SERVER_UNKNOWN` for a name that no entry has. */
export function refuseUnknown(names: readonly string[], loaded: LoadedConfig): void {
  const unknown = names.find((name) => !loaded.entries.some((entry) => entry.name === name));
  if (unknown !== undefined) throw unknownServer(unknown, loaded);
}

/** Limits how many names a hint lists. */
const MOST_NAMES = 10;

/** Creates the error for a name that no server has, as far as the configuration could be read. */
export function unknownServer(name: string, { entries, problems }: LoadedConfig): CommandError {
  const names = [...new Set(entries.map((entry) => entry.name))];
  const near = nearestNames(name, names);
  const unread = problems.find(isOfFile);
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(', ')}?`
      : unread !== undefined
        ? 'It may be in the file that the error above names.'
        : names.length > 0
          ? `Configured servers: ${names.slice(0, MOST_NAMES).join(', ')}${more}.`
          : 'Add it: fittings add --help';
  const message = `No server is named "${printable(name)}".`;
  return new CommandError('SERVER_UNKNOWN', message, { server: name, hint: printable(hint) });
}

/** Returns whether text is the URL of a server, which may contain variables, and not the name of a configured one. */
export function isServerUrl(text: string): boolean {
  if (text.includes('${')) return /^(?:(?:https?|wss?|unix|pipe):\/\/|\$\{)/i.test(text);
  return /^(?:https?|wss?|unix|pipe):\/\//i.test(text) && URL.canParse(text);
}

/**
 * Creates the entry of a server that is named by its URL. As in `mcp-remote`, `${NAME}` and `${NAME:-default}` in the
 * URL, a header, the client ID or the account are environment variables. Throws `ARGUMENTS_INVALID` for an invalid option and
 * `CONFIG_INVALID` for a variable that is not set.
 */
function remoteEntry(
  written: string,
  flags: RemoteOptions,
  env: Readonly<Record<string, string | undefined>>,
): ServerConfig {
  const { type, port } = flags;
  const url = expanded(written, env);
  if (!URL.canParse(url)) {
    throw new CommandError(
      'ARGUMENTS_INVALID',
      'The URL of the server is not absolute after its variables are expanded.',
    );
  }
  const headers = Object.fromEntries(
    Object.entries(headerPairs(flags.header)).map(([name, value]) => [name, expanded(value, env)]),
  );
  const clientId = flags.clientId === undefined ? undefined : expanded(flags.clientId, env);
  const account = flags.account === undefined ? undefined : expanded(flags.account, env);
  const oauth = oauthMember({ ...flags, clientId, account }, port === undefined ? undefined : portOf(port));
  return {
    type: type ?? (/^ws/i.test(url) ? 'ws' : 'http'),
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...oauth,
  };
}

/** Returns the member `oauth` of an entry, if an option sets something of it. */
export function oauthMember(
  {
    clientId,
    oauthScope: scopes,
    account,
  }: { readonly clientId?: string | undefined; readonly account?: string | undefined } & Pick<
    RemoteOptions,
    'oauthScope'
  >,
  callbackPort: number | undefined,
): { readonly oauth?: object } {
  const oauth = {
    ...(clientId !== undefined && { clientId }),
    ...(scopes.length > 0 && { scopes }),
    ...(account !== undefined && { account }),
    ...(callbackPort !== undefined && { callbackPort }),
  };
  return Object.keys(oauth).length > 0 ? { oauth } : {};
}

/** Throws `ARGUMENTS_INVALID` if options that apply only to a URL are given to anything else. */
export function refuseRemoteOptions(flags: RemoteOptions): void {
  const { type, header, clientId, oauthScope, account, port } = flags;
  const isBare = [type, clientId, account, port].every((flag) => flag === undefined);
  if (isBare && header.length === 0 && oauthScope.length === 0) return;
  throw new CommandError(
    'ARGUMENTS_INVALID',
    '--type, --header, --client-id, --oauth-scope, --account and --port apply only to a URL on the command line.',
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
      throw new CommandError('CONFIG_INVALID', `The variable ${name} is not set.`, {
        hint: `Set ${name} in the environment of this program.`,
      });
    },
  );
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CommandError(
    'ARGUMENTS_INVALID',
    'The port of the OAuth redirect URI is not a valid port number.',
  );
}
