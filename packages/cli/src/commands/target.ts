import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';
import type { Session } from '../composition/session.js';
import { shown } from '../output/shown.js';
import { connectAll, connectOne, namesStillConnecting } from './connect.js';
import type { CommandContext } from '../command-context.js';

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
  context: CommandContext,
  session: Session,
  text: string,
  kind: string,
  offered: () => readonly Offered[],
): Promise<Target> {
  const split = splitTarget(session, text);
  if (split !== undefined) {
    await connectOne(context, session, split.server);
    return split;
  }
  await connectUntilKnown(context, session, () => offered().some(({ name }) => name === text));
  const waiting = namesStillConnecting(session.host);
  if (waiting.length > 0) {
    const names = waiting.map((name) => shown(name)).join(', ');
    context.output.note(context.output.noteStyle.dim(`Did not wait for: ${names}.`));
  }
  const [match, ...others] = offered().filter(({ name }) => name === text);
  if (match === undefined)
    throw pendingSignIn(session, text, kind, offered()) ?? unknownName(session, text, kind, offered());
  if (others.length > 0) {
    const choices = [match, ...others].map(({ server }) => `${server}/${text}`);
    throw new FittingsError('ARGUMENTS_INVALID', `Several servers offer the ${kind} "${shown(text)}".`, {
      hint: `Choose one: ${shown(choices.join(', '))}.`,
    });
  }
  return { server: match.server, name: text };
}

/** How long another server may take to offer the same name, once one offers it. Milliseconds. */
const SAME_NAME_MS = 1_000;

/** One slow server does not hold up a call to another. */
async function connectUntilKnown(
  context: CommandContext,
  session: Session,
  isKnown: () => boolean,
): Promise<void> {
  let timer: Disposable | undefined;
  let isOver = false;
  let look = (): void => undefined;
  try {
    await connectAll(context, session, (check) => {
      look = check;
      if (isKnown()) {
        timer ??= context.clock.schedule(() => {
          isOver = true;
          look();
        }, SAME_NAME_MS);
      }
      return isOver;
    });
  } finally {
    timer?.[Symbol.dispose]();
  }
}

/** `server/name`, when there is such a server; names of tools and resources may hold slashes themselves. */
function splitTarget({ loaded }: Session, text: string): Target | undefined {
  const at = text.indexOf('/');
  const server = text.slice(0, Math.max(0, at));
  if (!loaded.entries.some(({ name }) => name === server)) return undefined;
  return { server, name: text.slice(at + 1) };
}

/** A server that waits for a sign-in may offer the name: undefined if a connected one offers a similar one. */
function pendingSignIn(
  { host, loginCommand }: Session,
  text: string,
  kind: string,
  offered: readonly Offered[],
): FittingsError | undefined {
  const server = host.servers().find(({ state }) => state.status === 'needs-auth')?.name;
  const names = offered.flatMap((each) => [each.name, `${each.server}/${each.name}`]);
  if (server === undefined || nearestNames(text, names).length > 0) return undefined;
  const message = `No connected server offers the ${kind} "${shown(text)}", and the server "${server}" requires a sign-in.`;
  return new AuthRequiredError(message, {
    server,
    delivery: 'not-sent',
    hint: `Sign in: ${loginCommand(server)}`,
  });
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
    hint: hints.length > 0 ? hints.join(' ') : 'Name the server: server/name.',
  });
}
