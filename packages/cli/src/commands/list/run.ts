import { abortable } from '@mcp-fittings/client-core/timing';
import type { Host } from '@mcp-fittings/host';
import type { CommandContext } from '../../command-context.js';
import type { Session } from '../../composition/session.js';
import { exitCodeOf, errorLine } from '../../output/error-report.js';
import { openWaiting } from '../../output/waiting.js';
import { connectAll, namesStillConnecting, whyNotConnected } from '../connect.js';
import { configurationExit, noteProblems } from '../note-problems.js';
import { openSession } from '../open-session.js';
import type { ListKind } from './command.js';
import { listLines } from './list-lines.js';

type OfferKind = Exclude<ListKind, 'servers'>;

/**
 * Prints what each server offers as soon as that server is connected. A server that fails is noted, and shows in the exit
 * code; the command fails only if no named server could be connected.
 */
export async function list(
  context: CommandContext,
  kind: OfferKind,
  names: readonly string[],
): Promise<void> {
  const { output, signal } = context;
  await using session = await openSession(context);
  const { host } = session;
  const printed = new Set<string>();
  const printReady = (): void => {
    if (output.json) return;
    for (const { name, state } of host.servers()) {
      if (state.status !== 'connected' || printed.has(name)) continue;
      printed.add(name);
      const lines = listLines(host, kind, name, output);
      if (lines.length > 0) output.event({}, () => lines.join('\n'));
    }
  };
  {
    using _subscription = host.on('state', printReady);
    await connect(context, session, names);
    signal.throwIfAborted();
    printReady();
  }
  noteProblems(session.loaded.problems, output);
  const problems = host
    .servers()
    .filter(({ state }) => names.length > 0 || state.status !== 'disabled')
    .flatMap((server) => whyNotConnected(server, session) ?? []);
  // No named server is connected: that is what the command failed with.
  if (names.length > 0 && problems.length >= host.servers().length) throw problems[0];
  const unread = host
    .servers()
    .filter(({ state }) => state.status === 'connected')
    .flatMap(({ lists }) => [
      lists[kind].error ?? [],
      (kind === 'resources' && lists.resourceTemplates.error) || [],
    ])
    .flat();
  for (const problem of [...problems, ...unread]) {
    output.note(errorLine(problem, output.noteStyle));
    context.setExitCode(exitCodeOf(problem));
  }
  configurationExit(context, session.loaded);
  if (output.json) output.result(listValue(host, kind), () => '');
  else if (problems.length + unread.length === 0 && listLines(host, kind, undefined, output).length === 0) {
    output.event({}, () => output.style.dim(`No server offers ${kind}.`));
  }
}

async function connect(context: CommandContext, session: Session, names: readonly string[]): Promise<void> {
  if (names.length === 0) return connectAll(context, session);
  const { host } = session;
  const { signal } = context;
  using _waiting = openWaiting(context, () => namesStillConnecting(host));
  await abortable(session.connect(names), signal);
  const lazy = names.filter((name) => host.server(name).state.status === 'disconnected');
  await Promise.all(lazy.map((name) => host.start(name, { signal }).catch(() => undefined)));
}

function listValue(host: Host, kind: OfferKind): object {
  switch (kind) {
    case 'tools':
      return { tools: host.tools() };
    case 'prompts':
      return { prompts: host.prompts() };
    case 'resources':
      return { resources: host.resources(), resourceTemplates: host.resourceTemplates() };
  }
}
