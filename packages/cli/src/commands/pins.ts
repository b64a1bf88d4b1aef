import { createHash } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import type { PinChange, PinnedServer, PinRecord, PinReview } from '@mcp-fittings/tools/pins';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import { errorJson, errorLine, exitCodeOf } from '../output/error-report.js';
import { CommandError } from '../output/hints.js';
import { jsonText, printable } from '../output/printable.js';
import { wrapWords } from '../output/text-width.js';
import { openPrompts } from '../prompts/prompts.js';
import { type CommandSession, openSession } from '../session/open-session.js';
import { openPins, type UserPins } from '../session/pins.js';
import { findEntry } from '../session/resolve-server.js';
import { forgetLists } from '../session/stored-lists.js';
import { configurationExit, noServersText, noteProblems } from './config-notes.js';
import { connectAll, connectOne, whyNotConnected } from './connect.js';
import { PIN_MARKS } from './list-lines.js';

export interface PinsOptions {
  readonly hash?: string;
}

/** Limits how much of a change is shown, in characters. */
const SHOWN = { normal: 8_000, verbose: 400_000 };

const WITHOUT_TERMINAL = (server: string, hash: string): string =>
  `Run this at a terminal, where you are asked. Without one: fittings pins accept ${printable(server)} --hash ${hash} accepts exactly ` +
  'these changes.';

export async function runPins(
  deps: CommandDeps,
  action: 'list' | 'show' | 'accept' | 'remove',
  server: string | undefined,
  tools: readonly string[],
  options: PinsOptions,
): Promise<void> {
  if (options.hash !== undefined && action !== 'accept')
    throw new CommandError('ARGUMENTS_INVALID', '--hash applies only to accept.');
  if (action === 'list') {
    if (tools.length > 0)
      throw new CommandError('ARGUMENTS_INVALID', 'list takes at most one server, and no tools.');
    return listPins(deps, server);
  }
  if (server === undefined)
    throw new CommandError('ARGUMENTS_INVALID', `Name the server: fittings pins ${action} <server>`);
  if (action === 'show') return showPins(deps, server, tools);
  if (action === 'accept') return acceptPins(deps, server, tools, options);
  return removePins(deps, server, tools);
}

/** Lists for each server how many tools are pinned, and what changed since. */
async function listPins(deps: CommandDeps, name: string | undefined): Promise<void> {
  const { output } = deps;
  await using session = await openSession(deps);
  const user = await openPins(deps, session);
  noteProblems(session.loaded.problems, output);
  if (name === undefined) await connectAll(deps, session);
  else await connectOne(deps, session, name);
  const { style } = output;
  const servers = [];
  const lines: string[] = [];
  let waits = false;
  for (const snapshot of session.host.servers()) {
    if (snapshot.state.status === 'disabled') continue;
    const found =
      whyNotConnected(snapshot, session) ??
      // The pins of one server may not be readable: those of the others are.
      (await reviewed(user, snapshot.name).catch((error: unknown) => {
        if (error instanceof FittingsError) return error;
        throw error;
      }));
    if (found instanceof FittingsError) {
      servers.push({ server: snapshot.name, error: errorJson(found) });
      lines.push(errorLine(found, style));
      deps.exitCode = exitCodeOf(found);
      continue;
    }
    const { record, changes, absent } = found;
    waits ||= changes.length > 0;
    servers.push({
      server: snapshot.name,
      pinned: record?.tools.length ?? 0,
      since: record?.at,
      waiting: changes.map(({ kind, tool, other }) => ({ kind, tool, other })),
      absent,
    });
    lines.push(
      `${style.bold(printable(snapshot.name))} ${style.dim(`${record?.tools.length ?? 0} pinned`)}`,
      ...changes.map((change) => `  ${style.yellow(PIN_MARKS[change.kind])}  ${nameOf(change)}`),
      ...(changes.length === 0
        ? []
        : [style.dim(`  Review: fittings pins show ${printable(snapshot.name)}`)]),
    );
  }
  output.result({ servers }, () =>
    wrapWords(lines.join('\n') || noServersText(session.loaded.problems), output.columns).join('\n'),
  );
  configurationExit(deps, session.loaded);
  if (waits) deps.exitCode = EXIT.approval;
}

/** Shows what changed; of a tool that did not change, what is pinned. */
async function showPins(deps: CommandDeps, name: string, tools: readonly string[]): Promise<void> {
  const { output } = deps;
  await using session = await openSession(deps);
  const user = await openPins(deps, session);
  const { review } = await connectAndReview(deps, session, user, name);
  const changes = chosen(review, tools);
  const pinned = pinnedTools(name, review.record, changes, tools);
  const hash = hashOf(changes);
  const texts = await describeAll(deps, changes);
  output.result(
    {
      server: name,
      changes: changes.map(({ kind, tool, other, before, after }, index) => ({
        kind,
        tool,
        other,
        before,
        after,
        text: texts[index],
      })),
      pinned,
      ...(changes.length > 0 && { hash }),
    },
    () =>
      [
        ...texts,
        ...pinned.map(
          ({ name: tool, at, definition }) =>
            `"${printable(tool)}" has not changed since ${new Date(at).toISOString()}:\n${jsonText(definition, 2)}`,
        ),
        ...(changes.length === 0
          ? tools.length === 0
            ? [`Nothing has changed. ${review.record?.tools.length ?? 0} tools are pinned.`]
            : []
          : [
              `To accept: fittings pins accept ${[name, ...tools].map((each) => printable(each)).join(' ')} --hash ${hash}`,
            ]),
      ].join('\n\n'),
  );
  if (changes.length > 0) deps.exitCode = EXIT.approval;
}

/** Accepts changes that the user has seen: at a terminal in this run, otherwise in one that printed their hash. */
async function acceptPins(
  deps: CommandDeps,
  name: string,
  tools: readonly string[],
  { hash }: PinsOptions,
): Promise<void> {
  const { output } = deps;
  await using session = await openSession(deps);
  const user = await openPins(deps, session);
  const { server, review } = await connectAndReview(deps, session, user, name);
  const changes = chosen(review, tools);
  pinnedTools(name, review.record, changes, tools);
  const now = hashOf(changes);
  if (hash !== undefined && hash !== now) {
    throw new CommandError(
      'APPROVAL_REQUIRED',
      `The hash does not match what the server "${printable(name)}" offers now.`,
      {
        server: name,
        hint: `Review it again: fittings pins show ${[name, ...tools].map((each) => printable(each)).join(' ')}`,
      },
    );
  }
  const isAccepted = changes.length > 0 && (hash === now || (await isAgreed(deps, changes)));
  if (isAccepted) {
    await user.pins.accept(server, changes);
    // They mark what waits.
    await forgetLists(session);
  }
  output.result(
    {
      server: name,
      accepted: isAccepted ? changes.map(({ kind, tool }) => ({ kind, tool })) : [],
      waiting: isAccepted ? [] : changes.map(({ kind, tool }) => ({ kind, tool })),
      ...(!isAccepted && changes.length > 0 && { hash: now }),
    },
    () =>
      changes.length === 0
        ? 'Nothing has changed.'
        : changes
            .map((change) => `${nameOf(change)}: ${isAccepted ? 'accepted' : 'not accepted'}`)
            .join('\n'),
  );
  if (isAccepted || changes.length === 0) return;
  deps.exitCode = EXIT.approval;
  if (!deps.interactive && !output.json) output.note(output.noteStyle.dim(WITHOUT_TERMINAL(name, now)));
}

/** Removes pins without connecting, also of a server that is not configured any more. */
async function removePins(deps: CommandDeps, name: string, tools: readonly string[]): Promise<void> {
  const { output } = deps;
  await using session = await openSession(deps);
  const { pins, store } = await openPins(deps, session);
  let removed = 0;
  if (findEntry(session.loaded, name) !== undefined) {
    await pins.remove({ name }, tools.length === 0 ? undefined : tools);
    removed = 1;
  } else if (tools.length === 0) {
    for (const { key, value } of (await store?.list()) ?? []) {
      if (value['server'] !== name) continue;
      await store?.remove(key);
      removed++;
    }
  }
  if (removed === 0)
    throw new CommandError(
      'SERVER_UNKNOWN',
      `No server is named "${printable(name)}", and none of this name has pins.`,
    );
  await forgetLists(session);
  output.result({ server: name, removed: tools.length === 0 ? true : tools }, () =>
    tools.length === 0
      ? `Removed the pins of ${printable(name)}. Its tools are pinned again when it is next used.`
      : `Removed the pins of ${tools.map((tool) => printable(tool)).join(', ')}. They count as new.`,
  );
}

async function connectAndReview(
  deps: CommandDeps,
  session: CommandSession,
  user: UserPins,
  name: string,
): Promise<{ readonly server: PinnedServer; readonly review: PinReview }> {
  await connectOne(deps, session, name);
  return { server: user.server(name), review: await reviewed(user, name) };
}

/** Pins what is seen for the first time, and returns what changed. */
async function reviewed({ pins, server }: UserPins, name: string): Promise<PinReview> {
  const now = server(name);
  pins.review(now);
  await pins.settled(now);
  return pins.review(now);
}

/** Returns the changes of the named tools, or all. */
function chosen({ changes }: PinReview, tools: readonly string[]): readonly PinChange[] {
  if (tools.length === 0) return changes;
  return changes.filter(({ kind, tool }) => kind !== 'instructions' && tools.includes(tool));
}

/** Returns the pins of named tools that have not changed. Throws `TOOL_UNKNOWN` for a name without a pin and a change. */
function pinnedTools(
  server: string,
  record: PinRecord | undefined,
  changes: readonly PinChange[],
  tools: readonly string[],
): PinRecord['tools'] {
  return tools
    .filter((name) => !changes.some(({ tool }) => tool === name))
    .map((name) => {
      const pin = record?.tools.find((each) => each.name === name);
      if (pin !== undefined) return pin;
      throw new CommandError(
        'TOOL_UNKNOWN',
        `The server "${printable(server)}" has no tool "${printable(name)}".`,
        {
          server,
          hint: `List its tools: fittings list tools ${printable(server)}`,
        },
      );
    });
}

async function isAgreed(deps: CommandDeps, changes: readonly PinChange[]): Promise<boolean> {
  if (!deps.interactive) return false;
  const prompts = await openPrompts(deps);
  for (const text of await describeAll(deps, changes)) prompts.tell(text);
  return prompts.confirm('Accept these changes?', false);
}

async function describeAll(
  { output }: CommandDeps,
  changes: readonly PinChange[],
): Promise<readonly string[]> {
  const { describePinChange } = await import('@mcp-fittings/tools/pins');
  const maxLength = output.verbose ? SHOWN.verbose : SHOWN.normal;
  return changes.map((change) => describePinChange(change, { maxLength }));
}

const nameOf = ({ kind, tool, other }: PinChange): string => {
  if (kind === 'instructions') return 'the instructions of the server';
  return `${printable(tool)}${other === undefined ? '' : ` (like ${printable(other)})`}`;
};

/** Returns the hash of what the user has seen. */
function hashOf(changes: readonly PinChange[]): string {
  const seen = changes.map(({ kind, tool, digest }) => JSON.stringify([kind, tool, digest])).toSorted();
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex');
}
