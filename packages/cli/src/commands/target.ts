import type { FittingsError } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/toolbox/text';
import { checkServerName } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import type { CommandSession } from '../session/open-session.js';
import { isServerUrl, unknownServer } from '../session/resolve-server.js';
import { connectAll, connectOne, namesStillConnecting } from './connect.js';

/** A tool, prompt or resource of one server. */
export interface Target {
  readonly server: string;
  readonly name: string;
}

/** Returns a target as the user types it. */
export function targetText({ server, name }: Target): string {
  return `${printable(server)}${isServerUrl(server) ? ' ' : '/'}${printable(name)}`;
}

interface Offered {
  readonly server: string;
  readonly name: string;
}

/**
 * Connects the server that a target such as `server/name` names. Without the name of a server it connects all, and
 * exactly one of them has to offer the name.
 */
export async function connectTarget(
  deps: CommandDeps,
  session: CommandSession,
  text: string,
  kind: string,
  offered: () => readonly Offered[],
): Promise<Target> {
  const split = splitTarget(session, text);
  if (split !== undefined) {
    await connectOne(deps, session, split.server);
    return split;
  }
  await connectAll(deps, session, () => offered().some(({ name }) => name === text));
  const waiting = namesStillConnecting(session.host);
  if (waiting.length > 0) {
    const names = waiting.map((name) => printable(name)).join(', ');
    deps.output.note(deps.output.noteStyle.dim(`Did not wait for: ${names}.`));
  }
  const [match, ...others] = offered().filter(({ name }) => name === text);
  if (match === undefined)
    throw pendingSignIn(session, text, kind, offered()) ?? unknownName(session, text, kind, offered());
  if (others.length > 0) {
    const choices = [match, ...others].map(({ server }) => `${server}/${text}`);
    throw new CommandError('ARGUMENTS_INVALID', `Several servers offer the ${kind} "${printable(text)}".`, {
      hint: `Choose one: ${printable(choices.join(', '))}.`,
    });
  }
  return { server: match.server, name: text };
}

/** Splits `server/name` if there is such a server. Names of tools and resources may contain slashes themselves. */
function splitTarget({ loaded }: CommandSession, text: string): Target | undefined {
  const at = text.indexOf('/');
  const server = text.slice(0, Math.max(0, at));
  if (!loaded.entries.some(({ name }) => name === server)) return undefined;
  return { server, name: text.slice(at + 1) };
}

/**
 * Returns the error for a name that a server waiting for a sign-in may offer; undefined if a connected server offers a
 * similar name.
 */
function pendingSignIn(
  { host, loginCommand }: CommandSession,
  text: string,
  kind: string,
  offered: readonly Offered[],
): FittingsError | undefined {
  const server = host.servers().find(({ state }) => state.status === 'needs-auth')?.name;
  const names = offered.flatMap((each) => [each.name, `${each.server}/${each.name}`]);
  if (server === undefined || nearestNames(text, names).length > 0) return undefined;
  const message = `No connected server offers the ${kind} "${printable(text)}", and the server "${server}" requires a sign-in.`;
  return new CommandError('AUTH_REQUIRED', message, {
    server,
    delivery: 'not-sent',
    hint: `Sign in: ${loginCommand(server)}`,
  });
}

function unknownName(
  { host, loaded }: CommandSession,
  text: string,
  kind: string,
  offered: readonly Offered[],
): FittingsError {
  const [server = '', ...rest] = text.split('/');
  const isServer = rest.length > 0 && checkServerName(server) === undefined;
  if (
    isServer &&
    nearestNames(
      text,
      offered.map(({ name }) => name),
    ).length === 0
  )
    return unknownServer(server, loaded);
  const names = offered.flatMap(({ server, name }) => [name, `${server}/${name}`]);
  const near = nearestNames(text, names);
  const absent = host.servers().filter(({ state }) => state.status !== 'connected');
  const hints = [
    ...(near.length > 0 ? [`Did you mean ${printable(near.join(' or '))}?`] : []),
    ...(absent.length > 0 ? [`Not connected: ${absent.map(({ name }) => name).join(', ')}.`] : []),
  ];
  return new CommandError('TOOL_UNKNOWN', `No connected server offers the ${kind} "${printable(text)}".`, {
    delivery: 'not-sent',
    hint: hints.length > 0 ? hints.join(' ') : 'Name the server: server/name.',
  });
}
