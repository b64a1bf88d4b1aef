import { FittingsError, nearestNames } from '@mcp-fittings/client-core';
import type { Session } from '../composition/session.js';
import { shown } from '../output/shown.js';
import { connectAll, connectOne } from './connect.js';

/** One thing of one server. */
export interface Target {
  readonly server: string;
  readonly name: string;
}

interface Offered {
  readonly server: string;
  readonly name: string;
}

/**
 * Connects what a text such as `server/name` points to. Without the name of a server all are connected, and exactly one of
 * them has to offer the name.
 */
export async function connectTarget(
  session: Session,
  text: string,
  kind: string,
  offered: () => readonly Offered[],
  signal: AbortSignal,
): Promise<Target> {
  const split = splitTarget(session, text);
  if (split !== undefined) {
    await connectOne(session, split.server, signal);
    return split;
  }
  await connectAll(session, signal);
  const [match, ...others] = offered().filter(({ name }) => name === text);
  if (match === undefined) throw unknownName(session, text, kind, offered());
  if (others.length > 0) {
    const choices = [match, ...others].map(({ server }) => `${server}/${text}`);
    throw new FittingsError('ARGUMENTS_INVALID', `Several servers offer the ${kind} "${shown(text)}".`, {
      hint: `Say which one: ${shown(choices.join(', '))}.`,
    });
  }
  return { server: match.server, name: text };
}

/** `server/name`, when there is such a server; names of tools and resources may hold slashes themselves. */
function splitTarget({ loaded }: Session, text: string): Target | undefined {
  const at = text.indexOf('/');
  const server = text.slice(0, Math.max(0, at));
  if (!loaded.entries.some(({ name }) => name === server)) return undefined;
  return { server, name: text.slice(at + 1) };
}

function unknownName(
  { host }: Session,
  text: string,
  kind: string,
  offered: readonly Offered[],
): FittingsError {
  const names = offered.flatMap(({ server, name }) => [name, `${server}/${name}`]);
  const near = nearestNames(text, names);
  const absent = host.servers().filter(({ state }) => state.status !== 'connected');
  const hints = [
    ...(near.length > 0 ? [`Did you mean ${shown(near.join(' or '))}?`] : []),
    ...(absent.length > 0 ? [`Not connected: ${absent.map(({ name }) => name).join(', ')}.`] : []),
  ];
  return new FittingsError('TOOL_UNKNOWN', `No connected server offers the ${kind} "${shown(text)}".`, {
    delivery: 'not-sent',
    hint: hints.length > 0 ? hints.join(' ') : 'Say which server: server/name.',
  });
}
