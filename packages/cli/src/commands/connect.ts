import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import type { ServerSnapshot } from '@mcp-fittings/host';
import type { Session } from '../composition/session.js';
import { untilAborted } from '../until-aborted.js';

/** Connects one server, also one that is configured to wait for its first use. Rejects with why it is not connected. */
export async function connectOne(session: Session, name: string, signal: AbortSignal): Promise<void> {
  const { host } = session;
  await untilAborted(session.connect([name]), signal);
  if (host.server(name).state.status === 'disconnected') await host.start(name, { signal });
  const problem = whyNotConnected(host.server(name));
  if (problem !== undefined) throw problem;
}

/** Connects all servers; those that could not be stay in the host as what they are. */
export async function connectAll(session: Session, signal: AbortSignal): Promise<void> {
  const { host } = session;
  await untilAborted(session.connect(), signal);
  const waiting = host.servers().filter(({ state }) => state.status === 'disconnected');
  await Promise.all(waiting.map(({ name }) => host.start(name, { signal }).catch(() => undefined)));
}

/** Undefined for a connected server. */
export function whyNotConnected({ name, state, lastError }: ServerSnapshot): FittingsError | undefined {
  switch (state.status) {
    case 'connected':
      return undefined;
    case 'needs-auth':
      return new AuthRequiredError(`The server "${name}" wants you to sign in.`, {
        server: name,
        hint: `Sign in: fittings login ${name}`,
        cause: state.error,
      });
    case 'disabled':
      return new FittingsError('SERVER_DISABLED', `The server "${name}" is disabled.`, {
        server: name,
        hint: `Enable it: fittings enable ${name}`,
      });
    case 'failed':
      return state.error;
    default:
      return (
        lastError ??
        new FittingsError('CONNECT_FAILED', `The server "${name}" is not connected.`, { server: name })
      );
  }
}
