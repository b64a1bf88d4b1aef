import { isRecord } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/client-core/timing';
import type { CatalogPrompt, CatalogTool, Host } from '@mcp-fittings/host';
import { valueText } from '../arguments/argument-text.js';
import { type SchemaPart, propertyNames, propertyOf } from '../arguments/schema-types.js';
import type { CommandDeps } from '../command-deps.js';
import type { ListKind } from '../options.js';
import { errorLine, exitCodeOf } from '../output/error-report.js';
import type { Output } from '../output/output.js';
import { firstLine, printable, printableBlock } from '../output/printable.js';
import { openSpinner } from '../output/spinner.js';
import { fitWidth, padEnd, textWidth } from '../output/text-width.js';
import { openSession } from '../session/open-session.js';
import type { CommandSession } from '../session/open-session.js';
import { configurationExit, noteProblems } from './config-notes.js';
import { connectAll, namesStillConnecting, whyNotConnected } from './connect.js';

type OfferKind = Exclude<ListKind, 'servers'>;

/**
 * Prints what each server offers as soon as it is connected. A server that fails is noted and sets the exit code; the
 * command itself fails only if none of the named servers is connected.
 */
export async function list(deps: CommandDeps, kind: OfferKind, names: readonly string[]): Promise<void> {
  const { output, signal } = deps;
  await using session = await openSession(deps);
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
    await connect(deps, session, names);
    signal.throwIfAborted();
    printReady();
  }
  noteProblems(session.loaded.problems, output);
  const problems = host
    .servers()
    .filter(({ state }) => names.length > 0 || state.status !== 'disabled')
    .flatMap((server) => whyNotConnected(server, session) ?? []);
  // None of the named servers is connected: the command fails with the first reason.
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
    deps.setExitCode(exitCodeOf(problem));
  }
  configurationExit(deps, session.loaded);
  if (output.json) output.result(listValue(host, kind), () => '');
  else if (problems.length + unread.length === 0 && listLines(host, kind, undefined, output).length === 0) {
    output.event({}, () => output.style.dim(`No server offers ${kind}.`));
  }
}

async function connect(deps: CommandDeps, session: CommandSession, names: readonly string[]): Promise<void> {
  if (names.length === 0) return connectAll(deps, session);
  const { host } = session;
  const { signal } = deps;
  using _waiting = openSpinner(deps, () => namesStillConnecting(host));
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

interface Item {
  readonly server: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Lines that `--verbose` adds. */
  readonly more: readonly string[];
}

/** Formats what one server or all servers offer, one line each; `--verbose` adds descriptions and arguments. */
function listLines(
  host: Host,
  kind: Exclude<ListKind, 'servers'>,
  server: string | undefined,
  output: Output,
): readonly string[] {
  const items = itemsFor(host, kind).filter((item) => server === undefined || item.server === server);
  const servers = [...new Set(items.map((item) => item.server))];
  return servers.flatMap((name) => {
    const own = items.filter((item) => item.server === name);
    const width = Math.min(48, Math.max(...own.map((item) => textWidth(item.name))));
    return [
      `${output.style.bold(printable(name))} ${output.style.dim(String(own.length))}`,
      ...own.flatMap((item) => itemLines(item, width, output)),
      '',
    ];
  });
}

function itemLines({ name, description, more }: Item, width: number, output: Output): readonly string[] {
  const { style, verbose, columns } = output;
  if (!verbose) {
    const line = `  ${style.cyan(padEnd(name, width))}  ${firstLine(description)}`.trimEnd();
    return [columns === undefined ? line : fitWidth(line, columns)];
  }
  const text = printableBlock(description ?? '', 4_000).trim();
  return [
    `  ${style.cyan(name)}`,
    ...(text === '' ? [] : text.split('\n').map((line) => `    ${line}`)),
    ...more.map((line) => `    ${style.dim(line)}`),
  ];
}

function itemsFor(host: Host, kind: Exclude<ListKind, 'servers'>): readonly Item[] {
  switch (kind) {
    case 'tools':
      return host
        .tools()
        .map((tool) => ({ ...named(tool), description: tool.description, more: inputLines(tool) }));
    case 'prompts':
      return host.prompts().map((prompt) => ({
        ...named(prompt),
        description: prompt.description,
        more: argumentLines(prompt),
      }));
    case 'resources':
      return [
        ...host.resources().map((resource) => ({
          server: resource.server,
          name: printable(resource.uri),
          description: resource.description ?? resource.title ?? resource.name,
          more: [resource.mimeType === undefined ? '' : printable(resource.mimeType)].filter(
            (line) => line !== '',
          ),
        })),
        ...host.resourceTemplates().map((template) => ({
          server: template.server,
          name: printable(template.uriTemplate),
          description: template.description ?? template.title ?? template.name,
          more: ['a template: replace the parts in braces'],
        })),
      ];
  }
}

function named({ server, name }: { readonly server: string; readonly name: string }) {
  return { server, name: printable(name) };
}

/** Formats arguments as the user types them: `--arg city=<string>`. */
function inputLines({ inputSchema }: CatalogTool): readonly string[] {
  const root: SchemaPart = { root: inputSchema, part: inputSchema };
  const required: unknown = inputSchema['required'];
  return propertyNames(root).map((name) => {
    const property = propertyOf(root, name) ?? { root: inputSchema, part: {} };
    const isRequired = Array.isArray(required) && required.includes(name);
    return argumentLine(name, property, isRequired);
  });
}

/** `--arg size=<s|m|l>  (optional; default: m)  The size.` */
function argumentLine(name: string, property: SchemaPart, isRequired: boolean): string {
  const part = isRecord(property.part) ? property.part : {};
  const { default: value, description } = part;
  const notes = [
    ...(isRequired ? [] : ['optional']),
    ...(value === undefined ? [] : [`default: ${printable(JSON.stringify(value), 60)}`]),
  ];
  const members = propertyNames(property).map((member) => printable(member, 40));
  return [
    `--arg ${printable(name)}=<${valueText(property)}>`,
    ...(notes.length === 0 ? [] : [`(${notes.join('; ')})`]),
    ...(typeof description === 'string' ? [firstLine(description)] : []),
    ...(members.length === 0
      ? []
      : [`[${printable(members.map((member) => `${name}.${member}`).join(', '), 200)}]`]),
  ].join('  ');
}

function argumentLines({ arguments: args = [] }: CatalogPrompt): readonly string[] {
  return args.map(
    ({ name, required }) => `--arg ${printable(name)}=<string>${required === true ? '' : '  (optional)'}`,
  );
}
