import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';

/** Throws `CONFIG_INVALID` for what TypeScript would not have let through: a host may be used from JavaScript. */
export function checkRef(method: string, ref: unknown, members: readonly string[]): void {
  const isText = (member: string): boolean => isRecord(ref) && typeof ref[member] === 'string';
  if (members.every(isText)) return;
  const wanted = `{ ${members.join(', ')} }`;
  if (!isRecord(ref)) {
    throw invalid(`host.${method}() needs ${wanted} as its first argument, not ${kindOf(ref)}.`);
  }
  const missing = members.filter((member) => !isText(member));
  const text = `host.${method}() needs ${wanted} with text in each; ${quoted(missing)} is not text.`;
  const isListed = missing.includes('tool') || missing.includes('prompt');
  throw invalid(
    text,
    isListed && typeof ref['name'] === 'string'
      ? `What host.tools() and host.prompts() list has its name in "name": pass it as "${missing.join('", "')}".`
      : undefined,
  );
}

/** Throws `CONFIG_INVALID` unless the value is a plain object; absent is fine. */
export function checkRecord(method: string, what: string, value: unknown): void {
  if (value === undefined || isRecord(value)) return;
  throw invalid(`host.${method}() needs an object as its ${what}, not ${kindOf(value)}.`);
}

/** One of these makes an object an entry. */
const ENTRY_FIELDS = ['type', 'command', 'url'] as const;

/** Throws `CONFIG_INVALID` unless it is a map of entries. */
export function checkEntries(entries: unknown): void {
  if (!isRecord(entries)) {
    throw invalid(`host.connect() needs an object of entries by their names, not ${kindOf(entries)}.`);
  }
  const { mcpServers: inner } = entries;
  if (
    isRecord(inner) &&
    Object.values(inner).every(isRecord) &&
    !ENTRY_FIELDS.some((field) => field in inner)
  ) {
    throw invalid(
      'host.connect() needs entries by their names, and was given a whole file with "mcpServers".',
      'Pass its entries: host.connect(file.mcpServers).',
    );
  }
  const wrong = Object.entries(entries).find(([, entry]) => !isRecord(entry));
  if (wrong === undefined) return;
  const [name, entry] = wrong;
  throw invalid(
    `The entry of the server "${name}" is ${kindOf(entry)}, not an object.`,
    typeof entry === 'string'
      ? 'Give { command, args } for a local server, or { url } for a remote one. One entry goes under its name: { name: entry }.'
      : undefined,
  );
}

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string') throw invalid(`The name of a server must be text, not ${kindOf(name)}.`);
}

/** Throws `CONFIG_INVALID` for options without which no host can work. */
export function checkHostOptions(options: unknown): void {
  if (!isRecord(options)) throw invalid(`createHost() needs an object of options, not ${kindOf(options)}.`);
  const { engine, transports } = options;
  if (!isRecord(engine) || typeof engine['connect'] !== 'function') {
    throw invalid(
      'createHost() needs an engine.',
      'Pass sdk({ name, version }) of "@mcp-fittings/host/sdk" or "@mcp-fittings/host/sdk-v2".',
    );
  }
  const isPlugin = (plugin: unknown): boolean => isRecord(plugin) && typeof plugin['create'] === 'function';
  if (!Array.isArray(transports) || !transports.every(isPlugin)) {
    throw invalid(
      'createHost() needs a list of transport plugins.',
      'Call the function of each transport package: { transports: [stdio(), http()] }.',
    );
  }
}

export function unknownServer(name: string, known: Iterable<string>): FittingsError {
  return new FittingsError('SERVER_UNKNOWN', `There is no server "${name}" in this host.`, {
    server: name,
    delivery: 'not-sent',
    hint: hintFor(name, known, 'Add it with host.connect().'),
  });
}

export function unknownTool(server: string, tool: string, known: Iterable<string>): FittingsError {
  return new FittingsError('TOOL_UNKNOWN', `The server "${server}" has no tool "${tool}".`, {
    server,
    delivery: 'not-sent',
    hint: hintFor(tool, known, 'host.tools() lists what there is.'),
    details: { tool },
  });
}

function hintFor(name: string, known: Iterable<string>, otherwise: string): string {
  const near = nearestNames(name, known);
  return near.length === 0 ? otherwise : `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
}

function invalid(message: string, hint?: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { hint, delivery: 'not-sent' });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
