import type { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/toolbox/timing';
import type { Host, ServerSnapshot } from '@mcp-fittings/host';
import type { CommandDeps } from '../command-deps.js';
import type { RemoteOptions } from '../options.js';
import { CommandError } from '../output/hints.js';
import { openSpinner } from '../output/spinner.js';
import type { CommandSession } from '../session/open-session.js';
import { findEntry, loginArguments, resolveServer, whyDisabled } from '../session/resolve-server.js';
import { entrySecrets } from '../session/secrets.js';
import { refusalWithoutSignIn } from '../session/sign-in-errors.js';

/**
 * Connects one server, even a lazy one: that of an entry, or that with this URL. Rejects with the reason if it is not connected.
 *
 * @param flags Options of the command line for a URL. Default: none.
 */
export async function connectOne(
  deps: CommandDeps,
  session: CommandSession,
  server: string,
  flags: RemoteOptions = { header: [], oauthScope: [] },
): Promise<void> {
  await connectNamed(deps, session, [server], flags);
  const loginCommand = (): string => session.loginCommand(loginArguments(server, flags));
  const problem = whyNotConnected(session.host.server(server), { ...session, loginCommand });
  if (problem !== undefined) throw problem;
}

/** Connects servers, even lazy ones: those of entries, or those with these URLs. Those that fail keep their state in the host. */
export async function connectNamed(
  deps: CommandDeps,
  { host, loaded }: CommandSession,
  names: readonly string[],
  flags: RemoteOptions,
): Promise<void> {
  const { signal, env, output } = deps;
  const servers = names.map((name) => resolveServer(name, flags, loaded, env));
  output.hide(entrySecrets(servers.map(({ config }) => config)));
  using _waiting = openSpinner(deps, () => namesStillConnecting(host));
  const entries = Object.fromEntries(servers.map(({ name, config }) => [name, config]));
  await abortable(host.connect(entries), signal);
  await startAll(host, names, signal);
}

/** Limits how long other servers are waited for once those that are connected are enough, in milliseconds. */
const ENOUGH_MS = 1_000;

/**
 * Connects all servers. Those that fail keep their state in the host. `isEnough` is called when a server changes; once it returns true,
 * servers that are still connecting are waited for only a little longer.
 */
export async function connectAll(
  deps: CommandDeps,
  session: CommandSession,
  isEnough: () => boolean = () => false,
): Promise<void> {
  const { host } = session;
  const { signal, clock } = deps;
  using _waiting = openSpinner(deps, () => namesStillConnecting(host));
  let timer: Disposable | undefined;
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  using _changes = onChange(host, () => {
    if (isEnough()) timer ??= clock.schedule(stop, ENOUGH_MS);
  });
  try {
    const all = connectEach(session, signal);
    await abortable(Promise.race([all, stopped]), signal);
    // What is still connecting ends with the session.
    all.catch(() => undefined);
  } finally {
    timer?.[Symbol.dispose]();
  }
}

async function connectEach(session: CommandSession, signal: AbortSignal): Promise<void> {
  const { host } = session;
  await session.connect();
  const names = host.servers().map(({ name }) => name);
  await startAll(host, names, signal);
}

/** Starts those of the servers that wait for their first use. */
async function startAll(host: Host, names: readonly string[], signal: AbortSignal): Promise<void> {
  const lazy = names.filter((name) => host.server(name).state.status === 'disconnected');
  await Promise.all(lazy.map((name) => host.start(name, { signal }).catch(() => undefined)));
}

/** Calls the listener when a server or its lists change, until the result is disposed of. */
export function onChange(host: Host, listener: () => void): Disposable {
  const subscriptions = [host.on('state', listener), host.on('catalog', listener)];
  return {
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    },
  };
}

/** Returns the names of the servers that are still connecting. */
export function namesStillConnecting(host: Host): readonly string[] {
  return host
    .servers()
    .filter(({ state: { status } }) => status === 'connecting' || status === 'pending')
    .map(({ name }) => name);
}

/** Returns why a server is not connected; undefined if it is. */
export function whyNotConnected(
  { name, state, lastError }: ServerSnapshot,
  session: Pick<CommandSession, 'loaded' | 'loginCommand' | 'storeError'>,
): FittingsError | undefined {
  switch (state.status) {
    case 'connected':
      return undefined;
    case 'needs-auth':
      return (
        refusalWithoutSignIn(name, session.loaded.servers[name], state.error) ??
        new CommandError('AUTH_REQUIRED', `The server "${name}" requires a sign-in.`, {
          server: name,
          hint: signInHint(name, session),
          cause: state.error,
        })
      );
    case 'disabled': {
      const { message, hint } = whyDisabled(findEntry(session.loaded, name) ?? { name, problems: [] });
      return new CommandError('SERVER_DISABLED', message, { server: name, hint });
    }
    case 'failed':
      return state.error;
    default:
      return (
        lastError ??
        new CommandError('CONNECT_FAILED', `The server "${name}" is not connected.`, { server: name })
      );
  }
}

function signInHint(
  name: string,
  { loginCommand, storeError }: Pick<CommandSession, 'loginCommand' | 'storeError'>,
): string {
  const reason = storeError === undefined ? '' : `${storeError.message} `;
  return `${reason}Sign in: ${loginCommand(name)}`;
}
