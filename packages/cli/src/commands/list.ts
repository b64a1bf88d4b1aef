import { FittingsError } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import type { CommandDeps } from '../command-deps.js';
import type { RemoteOptions } from '../options.js';
import { errorLine, exitCodeOf } from '../output/error-report.js';
import { noteUnreadFiles } from '../output/config-problems.js';
import { type CommandServers, loadForCommand, openSession } from '../session/open-session.js';
import { openPins, type UserPins } from '../session/pins.js';
import { isServerUrl, refuseRemoteOptions } from '../session/resolve-server.js';
import { configSecrets } from '../session/secrets.js';
import {
  type ListedTool,
  type OfferedLists,
  type StoredServer,
  StoredLists,
} from '../session/stored-lists.js';
import { configurationExit, noteProblems } from './config-notes.js';
import { connectAll, connectNamed, whyNotConnected } from './connect.js';
import { type OfferKind, exampleCall, listLines, listValue } from './list-lines.js';

export interface ListOptions extends RemoteOptions {
  /** Asks all servers, even those whose lists are stored. */
  readonly refresh: boolean;
}

/**
 * Prints what each server offers as soon as it is connected. A server that was asked within the last minutes is not connected:
 * its stored lists are printed. A server that fails is noted and sets the exit code; the command itself fails only if none of
 * the named servers can be listed.
 */
export async function list(
  deps: CommandDeps,
  kind: OfferKind,
  names: readonly string[],
  options: ListOptions,
): Promise<void> {
  const { output, clock } = deps;
  // Servers whose lists are stored are not looked up again.
  if (!names.some(isServerUrl)) refuseRemoteOptions(options);
  const configured = await loadForCommand(deps);
  output.hide(configSecrets(configured.loaded));
  const memory = new StoredLists(deps, configured);
  const known = options.refresh ? new Map<string, StoredServer>() : await memory.fresh(names);
  const print = (lists: OfferedLists): void => {
    const lines = listLines(lists, kind, output);
    if (!output.json && lines.length > 0) output.event({}, () => lines.join('\n'));
  };
  for (const { lists } of known.values()) print(lists);
  const others = known.size === 0 ? names : memory.wanted(names).filter((name) => !known.has(name));
  const isKnown = known.size > 0 && others.length === 0;
  if (isKnown) {
    noteUnreadFiles(configured.loaded.problems, output);
    noteProblems(configured.loaded.problems, output);
  }
  const asked = isKnown
    ? undefined
    : await ask(deps, kind, others, { configured, memory, known, print, options });
  configurationExit(deps, configured.loaded);
  const order = new Set([...memory.wanted(names), ...(asked?.lists.keys() ?? [])]);
  const all = joinLists([...order].flatMap((name) => known.get(name)?.lists ?? asked?.lists.get(name) ?? []));
  if (output.json) output.result(listValue(all, kind), () => '');
  else if (asked?.isWhole !== false && listLines(all, kind, output).length === 0) {
    output.event({}, () => output.style.dim(`No server offers ${kind}.`));
  }
  const example = kind === 'tools' && deps.interactive && !output.json ? exampleCall(all) : undefined;
  if (example !== undefined) output.note(output.noteStyle.dim(`To call one: ${example}`));
  if (known.size > 0) output.note(output.noteStyle.dim(ageNote(known.values(), clock.now())));
}

interface Asked {
  readonly lists: ReadonlyMap<string, OfferedLists>;
  /** Is true if all servers were asked, and have listed everything. */
  readonly isWhole: boolean;
}

interface AskOptions {
  readonly configured: CommandServers;
  readonly memory: StoredLists;
  readonly known: ReadonlyMap<string, StoredServer>;
  /** Prints what one server lists. */
  readonly print: (lists: OfferedLists) => void;
  /** For servers that are named by their URL. */
  readonly options: RemoteOptions;
}

/** Connects the named servers, or all, and remembers what they list. */
async function ask(
  deps: CommandDeps,
  kind: OfferKind,
  names: readonly string[],
  { configured, memory, known, print, options }: AskOptions,
): Promise<Asked> {
  const { output, signal } = deps;
  await using session = await openSession(deps, { configured });
  const { host } = session;
  const user = await openPins(deps, session);
  const unreadPins = new Map<string, FittingsError>();
  const listsOf = (name: string): OfferedLists => {
    const lists = listedBy(host, name);
    try {
      return { ...lists, tools: markTools(user, name, lists.tools) };
    } catch (error) {
      if (!(error instanceof FittingsError)) throw error;
      unreadPins.set(name, error);
      return lists;
    }
  };
  const printed = new Set<string>();
  const printReady = (): void => {
    for (const { name, state } of host.servers()) {
      if (state.status !== 'connected' || printed.has(name)) continue;
      printed.add(name);
      print(listsOf(name));
    }
  };
  {
    using _subscription = host.on('state', printReady);
    await (names.length === 0 ? connectAll(deps, session) : connectNamed(deps, session, names, options));
    signal.throwIfAborted();
    printReady();
  }
  noteProblems(configured.loaded.problems, output);
  const problems = host
    .servers()
    .filter(({ state }) => names.length > 0 || state.status !== 'disabled')
    .flatMap((server) => whyNotConnected(server, session) ?? []);
  // None of the named servers is connected: the command fails with the first reason.
  if (names.length > 0 && known.size === 0 && problems.length >= host.servers().length) throw problems[0];
  const connected = host.servers().filter(({ state }) => state.status === 'connected');
  const unread = connected.flatMap(({ lists }) => [
    ...(lists[kind].error === undefined ? [] : [lists[kind].error]),
    ...(kind === 'resources' && lists.resourceTemplates.error !== undefined
      ? [lists.resourceTemplates.error]
      : []),
  ]);
  for (const problem of [...problems, ...unread]) {
    output.note(errorLine(problem, output.noteStyle));
    deps.exitCode = exitCodeOf(problem);
  }
  const lists = new Map(host.servers().map(({ name }) => [name, listsOf(name)]));
  await memory.remember(host, listsOf);
  for (const { name } of connected) {
    await user.pins.settled(user.server(name)).catch((error: unknown) => {
      if (!(error instanceof FittingsError)) throw error;
      unreadPins.set(name, error);
    });
  }
  for (const problem of unreadPins.values()) {
    output.note(errorLine(problem, output.noteStyle));
    deps.exitCode = exitCodeOf(problem);
  }
  return { lists, isWhole: problems.length + unread.length === 0 };
}

/** Joins the lists of several servers. */
function joinLists(all: readonly OfferedLists[]): OfferedLists {
  return {
    tools: all.flatMap(({ tools }) => tools),
    prompts: all.flatMap(({ prompts }) => prompts),
    resources: all.flatMap(({ resources }) => resources),
    resourceTemplates: all.flatMap(({ resourceTemplates }) => resourceTemplates),
  };
}

/** Formats `Listed from memory, up to 3 min old.` */
function ageNote(servers: Iterable<StoredServer>, now: number): string {
  const seconds = Math.max(0, ...Array.from(servers, ({ readAt }) => now - readAt)) / 1000;
  const age = seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min`;
  return `Listed from memory, up to ${age} old. Ask the servers again: --refresh`;
}

/** Marks the tools that the user has not accepted since they changed or were added. */
function markTools(
  { pins, server }: UserPins,
  name: string,
  tools: readonly ListedTool[],
): readonly ListedTool[] {
  const { waiting } = pins.review(server(name));
  if (waiting.size === 0) return tools;
  return tools.map((tool) => {
    const kind = waiting.get(tool.name)?.kind;
    return kind === undefined || kind === 'instructions' ? tool : { ...tool, pin: kind };
  });
}

function listedBy(host: Host, name: string): OfferedLists {
  const own = ({ server }: { readonly server: string }): boolean => server === name;
  return {
    tools: host.tools().filter(own),
    prompts: host.prompts().filter(own),
    resources: host.resources().filter(own),
    resourceTemplates: host.resourceTemplates().filter(own),
  };
}
