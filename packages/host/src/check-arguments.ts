import { FittingsError } from '@mcp-fittings/client-core';
import { CONNECTION_HEADERS, headerProblem } from '@mcp-fittings/toolbox/connect';
import { checkMember, checkOptions, kindOf, type OptionNames } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { didYouMean } from '@mcp-fittings/toolbox/text';
import type { HostLimits, HostOptions } from './contracts/host-options.js';
import type { CallOptions, HostEvents } from './contracts/host.js';
import type { HostCallbacks } from './contracts/server-requests.js';

/** Throws `CONFIG_INVALID` if a member of the reference is not a string: a host may be used from JavaScript. */
export function checkRef(method: string, ref: unknown, members: readonly string[]): void {
  const isText = (member: string): boolean => isRecord(ref) && typeof ref[member] === 'string';
  if (members.every(isText)) return;
  const wanted = `{ ${members.join(', ')} }`;
  if (!isRecord(ref)) {
    throw invalid(`The first argument of host.${method}() must be ${wanted}, not ${kindOf(ref)}.`);
  }
  const missing = members.filter((member) => !isText(member));
  const text = `The members of ${wanted}, the first argument of host.${method}(), must be strings; not a string: ${quoted(missing)}.`;
  const isListed = missing.includes('tool') || missing.includes('prompt');
  throw invalid(
    text,
    isListed && typeof ref['name'] === 'string'
      ? `Pass the "name" of an item of host.tools() or host.prompts() as "${missing.join('", "')}".`
      : undefined,
  );
}

/** Throws `CONFIG_INVALID` unless the value is an object or `undefined`. */
export function checkRecord(method: string, argument: string, value: unknown): void {
  if (value === undefined || isRecord(value)) return;
  throw invalid(`The ${argument} of host.${method}() must be an object, not ${kindOf(value)}.`);
}

/** Keys of `_meta` that the engine, or `traceContext` of the host, sets. */
const OWNED_META: ReadonlySet<string> = new Set(['progresstoken', 'traceparent', 'tracestate', 'baggage']);
/** Labels of a prefix that the protocol reserves, as its first or second one. */
const RESERVED_LABELS: ReadonlySet<string> = new Set(['mcp', 'modelcontextprotocol', 'mcp-fittings']);

/** Headers that carry credentials, or that the transport sets. */
const OWNED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'cookie',
  'dpop',
  'last-event-id',
]);
/** Prefixes of such headers. */
const OWNED_PREFIXES = ['mcp-', 'sec-'];

/**
 * Throws `CONFIG_INVALID` if `meta` has a key that is not the caller's, and `HEADER_INVALID` for a header that is malformed,
 * carries credentials, or belongs to the transport. No error contains a value.
 */
export function checkCallContext(server: string, { meta, headers, principal }: CallOptions): void {
  if (principal !== undefined && (typeof principal !== 'string' || principal === ''))
    throw invalid('The "principal" of a call must be a string that is not empty.', undefined, server);
  if (meta !== undefined) checkMeta(server, meta);
  if (headers !== undefined) checkHeaders(server, headers);
}

function checkMeta(server: string, meta: unknown): void {
  if (!isRecord(meta)) throw invalid('The "meta" of a call must be an object.', undefined, server);
  const reserved = Object.keys(meta).find(isReservedMetaKey);
  if (reserved === undefined) return;
  throw invalid(
    `The key ${shown(reserved)} in the "meta" of a call is reserved for the protocol.`,
    'Use a key with a prefix of your own, such as "com.example/tenant".',
    server,
  );
}

/**
 * Returns whether a key of `_meta` belongs to the protocol, so that a call cannot set it with `meta` of its options.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#_meta
 */
export function isReservedMetaKey(key: string): boolean {
  const lower = key.toLowerCase();
  if (OWNED_META.has(lower)) return true;
  const slash = lower.indexOf('/');
  if (slash < 0) return false;
  const labels = lower.slice(0, slash).split('.', 2);
  return labels.some((label) => RESERVED_LABELS.has(label));
}

function checkHeaders(server: string, headers: unknown): void {
  if (!isRecord(headers)) throw invalid('The "headers" of a call must be an object.', undefined, server);
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const problem = problemOf(lower, value, seen);
    if (problem !== undefined) {
      throw new FittingsError('HEADER_INVALID', `The header ${shown(name)} of a call ${problem}.`, {
        server,
        delivery: 'not-sent',
        hint: 'Credentials come from the sign-in of the server, or from "headers" of its entry.',
      });
    }
    seen.add(lower);
  }
}

function problemOf(name: string, value: unknown, seen: ReadonlySet<string>): string | undefined {
  const isOwned =
    CONNECTION_HEADERS.has(name) ||
    OWNED_HEADERS.has(name) ||
    OWNED_PREFIXES.some((prefix) => name.startsWith(prefix));
  if (isOwned) return 'is set by the transport or the sign-in, and a call cannot set it';
  return seen.has(name) ? 'is set twice' : headerProblem(name, value);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** Throws `CONFIG_INVALID` unless the option `task` of a tool call is an object whose members have the right types. */
export function checkTaskOptions(task: unknown): void {
  const { resume, onUpdate, keep } = isRecord(task) ? task : { resume: null };
  const isRight =
    (resume === undefined || (typeof resume === 'string' && resume !== '')) &&
    (onUpdate === undefined || typeof onUpdate === 'function') &&
    (keep === undefined || typeof keep === 'boolean');
  if (!isRight)
    throw invalid(
      'The option "task" of host.callTool() must be { onUpdate, resume, keep }, with the id of a task.',
    );
}

/** An object that has one of these is an entry. */
const ENTRY_FIELDS = ['type', 'command', 'url'] as const;

/** Throws `CONFIG_INVALID` unless the value is an object of entries. */
export function checkEntries(entries: unknown): void {
  if (!isRecord(entries)) {
    throw invalid(
      `The first argument of host.connect() must be an object that maps names to entries, not ${kindOf(entries)}.`,
    );
  }
  const { mcpServers: inner } = entries;
  if (
    isRecord(inner) &&
    Object.values(inner).every(isRecord) &&
    !ENTRY_FIELDS.some((field) => field in inner)
  ) {
    throw invalid(
      'The first argument of host.connect() must map names to entries, but it is a whole configuration with "mcpServers".',
      'Pass the entries alone: host.connect(configuration.mcpServers).',
    );
  }
  const wrong = Object.entries(entries).find(([, entry]) => !isRecord(entry));
  if (wrong === undefined) return;
  const [name, entry] = wrong;
  throw invalid(
    `The entry of the server "${name}" must be an object, not ${kindOf(entry)}.`,
    typeof entry === 'string'
      ? 'Use { command, args } for a local server, or { url } for a remote one. Pass a single entry under its name: { name: entry }.'
      : undefined,
  );
}

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string') throw invalid(`The name of a server must be a string, not ${kindOf(name)}.`);
}

const OPTIONS: OptionNames<HostOptions> = {
  name: true,
  version: true,
  title: true,
  extensions: true,
  transports: true,
  engine: true,
  auth: true,
  identityOf: true,
  callbacks: true,
  intercept: true,
  logger: true,
  clock: true,
  lazy: true,
  idleMs: true,
  delivery: true,
  principal: true,
  cache: true,
  traceContext: true,
  random: true,
  defaults: true,
  limits: true,
};
const LIMITS: OptionNames<HostLimits> = {
  connectMs: true,
  discoveryMs: true,
  callMs: true,
  listMs: true,
  callTotalMs: true,
  parallelConnects: true,
  listPages: true,
  listItems: true,
  listBytes: true,
  principals: true,
  principalIdleMs: true,
  callbackMs: true,
  eventsPerSecond: true,
};

/** Throws `CONFIG_INVALID` if a required option is missing, or an option is unknown or invalid. */
export function checkHostOptions(options: unknown): void {
  const given = checkOptions('createHost()', options, OPTIONS);
  const { engine, transports, intercept, callbacks, limits } = given;
  if (limits !== undefined) checkOptions('"limits" of createHost()', limits, LIMITS);
  const missing = ['name', 'version'].filter((member) => typeof given[member] !== 'string');
  if (missing.length > 0) {
    throw invalid(
      `createHost() requires the name and version of your program as strings; missing: ${missing.join(', ')}.`,
      "Pass them, for example: createHost({ name: 'my-agent', version: '1.0.0', transports }).",
    );
  }
  if (engine !== undefined && !(isRecord(engine) && typeof engine['connect'] === 'function')) {
    throw invalid(
      'The option "engine" of createHost() must be an engine.',
      'Leave it out, or call the function of an engine: { engine: sdkV2() }.',
    );
  }
  const isPlugin = (plugin: unknown): boolean => isRecord(plugin) && typeof plugin['create'] === 'function';
  if (!Array.isArray(transports) || !transports.every(isPlugin)) {
    throw invalid(
      'createHost() requires the option "transports": an array of transport plugins.',
      'Call the function of each transport package: { transports: [stdio(), http()] }.',
    );
  }
  const isInterceptor = (value: unknown): boolean => typeof value === 'function' || isRecord(value);
  if (intercept !== undefined && !(Array.isArray(intercept) && intercept.every(isInterceptor))) {
    throw invalid('The option "intercept" of createHost() must be an array of interceptors.');
  }
  if (callbacks !== undefined) checkCallbacks(callbacks);
}

const CALLBACKS: Readonly<Record<keyof HostCallbacks, 'array' | 'function'>> = {
  elicit: 'function',
  elicitationModes: 'array',
  sample: 'function',
  roots: 'function',
};

/** A callback under another name would never be called, and its servers would be refused without a word. */
function checkCallbacks(callbacks: unknown): void {
  if (!isRecord(callbacks)) throw invalid('The option "callbacks" of createHost() must be an object.');
  for (const [name, value] of Object.entries(callbacks)) {
    const type = Object.entries(CALLBACKS).find(([known]) => known === name)?.[1];
    if (type === undefined) {
      throw invalid(
        `The option "callbacks" of createHost() has no callback "${name}".`,
        'hostCallbacks' in callbacks
          ? 'Pass the callbacks of the router: { callbacks: router.hostCallbacks }.'
          : `Its members are ${Object.keys(CALLBACKS).join(', ')}.`,
      );
    }
    const isRight = type === 'array' ? Array.isArray(value) : typeof value === type;
    if (value !== undefined && !isRight)
      throw invalid(
        `The member "${name}" of the option "callbacks" of createHost() must be ${type === 'array' ? 'an array' : 'a function'}.`,
      );
  }
}

const EVENTS: OptionNames<HostEvents> = {
  state: true,
  reconnected: true,
  reconnectFailed: true,
  unhealthy: true,
  catalog: true,
  toolsChanged: true,
  resourceUpdated: true,
  notification: true,
  task: true,
  log: true,
  error: true,
};

/** Throws `CONFIG_INVALID` unless the host has this event, and the listener is a function. */
export function checkListener(event: unknown, listener: unknown): void {
  checkMember('host.on()', 'event', event, EVENTS);
  if (typeof listener !== 'function')
    throw invalid(`The listener of host.on() must be a function, not ${kindOf(listener)}.`);
}

export function unknownServer(name: string, known: Iterable<string>): FittingsError {
  return new FittingsError('SERVER_UNKNOWN', `This host has no server "${name}".`, {
    server: name,
    delivery: 'not-sent',
    hint: didYouMean(name, known, 'Add it with host.connect().'),
  });
}

export function unknownTool(server: string, tool: string, known: Iterable<string>): FittingsError {
  return new FittingsError('TOOL_UNKNOWN', `The server "${server}" has no tool "${tool}".`, {
    server,
    delivery: 'not-sent',
    hint: didYouMean(tool, known, 'host.tools() returns all tools.'),
    details: { tool },
  });
}

function invalid(message: string, hint?: string, server?: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { server, hint, delivery: 'not-sent' });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
