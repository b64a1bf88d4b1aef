import { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/client-core/timing';
import type { Host, ServerSnapshot } from '@mcp-fittings/host';
import type { CommandDeps } from '../command-deps.js';
import { openSpinner } from '../output/spinner.js';
import type { Session } from '../session/session.js';
import { refusedHeader } from '../session/sign-in-errors.js';
import { CommandError } from '../output/hints.js';

/** Connects one server, also one that is configured to wait for its first use. Rejects with why it is not connected. */
export async function connectOne(deps: CommandDeps, session: Session, name: string): Promise<void> {
  const { host } = session;
  const { signal } = deps;
  using _waiting = openSpinner(deps, () => namesStillConnecting(host));
  await abortable(session.connect([name]), signal);
  if (host.server(name).state.status === 'disconnected') await host.start(name, { signal });
  const problem = whyNotConnected(host.server(name), session);
  if (problem !== undefined) throw problem;
}

/**
 * Connects all servers; those that could not be stay in the host as what they are. `isEnough` is asked whenever a server
 * changed, or when it calls `check`: once it says yes, the servers that are still connecting are not waited for.
 */
export async function connectAll(
  deps: CommandDeps,
  session: Session,
  isEnough: (check: () => void) => boolean = () => false,
): Promise<void> {
  const { host } = session;
  const { signal } = deps;
  using _waiting = openSpinner(deps, () => namesStillConnecting(host));
  const enough = whenEnough(host, isEnough);
  try {
    const all = connectEach(session, signal);
    await abortable(Promise.race([all, enough.reached]), signal);
    // What still goes on ends with the session.
    all.catch(() => undefined);
  } finally {
    enough[Symbol.dispose]();
  }
}

async function connectEach(session: Session, signal: AbortSignal): Promise<void> {
  const { host } = session;
  await session.connect();
  const waiting = host.servers().filter(({ state }) => state.status === 'disconnected');
  await Promise.all(waiting.map(({ name }) => host.start(name, { signal }).catch(() => undefined)));
}

function whenEnough(
  host: Host,
  isEnough: (check: () => void) => boolean,
): Disposable & { readonly reached: Promise<void> } {
  let resolve = (): void => undefined;
  const reached = new Promise<void>((settle) => (resolve = settle));
  const look = (): void => {
    if (isEnough(look)) resolve();
  };
  const subscriptions = [host.on('state', look), host.on('catalogue', look)];
  return {
    reached,
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    },
  };
}

/** Servers that may still be connected. */
export function namesStillConnecting(host: Host): readonly string[] {
  return host
    .servers()
    .filter(({ state: { status } }) => status === 'connecting' || status === 'pending')
    .map(({ name }) => name);
}

/** Undefined for a connected server. */
export function whyNotConnected(
  { name, state, lastError }: ServerSnapshot,
  session: Pick<Session, 'loaded' | 'loginCommand' | 'storeError'>,
): FittingsError | undefined {
  switch (state.status) {
    case 'connected':
      return undefined;
    case 'needs-auth':
      return (
        refusedHeader(name, session.loaded.servers[name], state.error) ??
        new CommandError('AUTH_REQUIRED', `The server "${name}" requires a sign-in.`, {
          server: name,
          hint: signInHint(name, session),
          cause: state.error,
        })
      );
    case 'disabled':
      return new CommandError('SERVER_DISABLED', `The server "${name}" is disabled.`, {
        server: name,
        hint: `Enable it: fittings enable ${name}`,
      });
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
  { loginCommand, storeError }: Pick<Session, 'loginCommand' | 'storeError'>,
): string {
  const reason = storeError === undefined ? '' : `${storeError.message} `;
  return `${reason}Sign in: ${loginCommand(name)}`;
}
