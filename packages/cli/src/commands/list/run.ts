import type { Host } from '@mcp-fittings/host';
import type { CommandContext } from '../../command-context.js';
import { exitCodeOf, errorLine } from '../../output/error-report.js';
import { connectAll, connectOne, whyNotConnected } from '../connect.js';
import { openSession } from '../open-session.js';
import type { ListKind } from './command.js';
import { listLines } from './list-lines.js';

/** Lists are worth having also when one server fails: that is noted, and shows in the exit code. */
export async function list(context: CommandContext, kind: ListKind, names: readonly string[]): Promise<void> {
  const { output, signal } = context;
  await using session = await openSession(context);
  const { host } = session;
  if (names.length === 0) await connectAll(session, signal);
  const failures = await Promise.allSettled(names.map((name) => connectOne(session, name, signal)));
  signal.throwIfAborted();

  const refused = failures.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  // Nothing was to be had at all: that is what the command failed with.
  if (names.length > 0 && refused.length === names.length) throw refused[0];
  const absent =
    names.length > 0
      ? refused
      : host.servers().flatMap((server) => {
          const isOff = server.state.status === 'disabled';
          return isOff ? [] : (whyNotConnected(server) ?? []);
        });
  const unread = host
    .servers()
    .filter(({ name, state }) => state.status === 'connected' && (names.length === 0 || names.includes(name)))
    .flatMap(({ lists }) => [
      lists[kind].error ?? [],
      (kind === 'resources' && lists.resourceTemplates.error) || [],
    ])
    .flat();
  for (const problem of [...absent, ...unread]) {
    output.note(errorLine(problem, output.noteStyle));
    context.setExitCode(exitCodeOf(problem));
  }
  output.result(listValue(host, kind), () => listLines(host, kind, output).join('\n'));
}

function listValue(host: Host, kind: ListKind): object {
  switch (kind) {
    case 'tools':
      return { tools: host.tools() };
    case 'prompts':
      return { prompts: host.prompts() };
    case 'resources':
      return { resources: host.resources(), resourceTemplates: host.resourceTemplates() };
  }
}
