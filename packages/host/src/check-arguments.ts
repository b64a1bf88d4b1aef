import { FittingsError } from '@mcp-fittings/client-core';
import { CONNECTION_HEADERS, headerProblem } from '@mcp-fittings/toolbox/connect';
import { checkMember, checkOptions, kindOf, type OptionNames } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { didYouMean } from '@mcp-fittings/toolbox/text';
import { DEFAULT_LIMITS } from './setup/default-limits.js';
import type { HostLimits, HostOptions } from './contracts/host-options.js';
import type { CallOptions, HostEvents } from './contracts/host.js';
import type { HostCallbacks } from './contracts/server-requests.js';

/** Throws `CONFIG_INVALID` if a member of the reference is not a string: a host may be used from JavaScript. */
export function checkRef(method: string, ref: unknown, members: readonly string[]): void {
  const given = isRecord(ref) ? ref : {};
  const missing = members.filter((member) => typeof given[member] !== 'string');
  if (missing.length === 0) return;
  const problem = isRecord(ref) ? `; not a string: "${missing.join('", "')}"` : `, not ${kindOf(ref)}`;
  throw invalid(
    `The first argument of host.${method}() must be an object { ${members.join(', ')} } of strings${problem}.`,
  );
}

/** Throws `CONFIG_INVALID` unless the value is an object or `undefined`. */
export function checkRecord(method: string, argument: string, value: unknown): void {
  if (value === undefined || isRecord(value)) return;
  throw invalid(`The ${argument} of host.${method}() must be an object, not ${kindOf(value)}.`);
}

const OWNED_HEADERS = /^(?:accept|authorization|content-type|cookie|dpop|last-event-id)$|^(?:mcp|sec)-/;

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
  return RESERVED_META.test(key);
}

/** Keys that the engine or `traceContext` sets, and prefixes with a label of the protocol as the first or second one. */
const RESERVED_META =
  /^(?:progresstoken|traceparent|tracestate|baggage)$|^(?:[^./]*\.)?(?:mcp|modelcontextprotocol|mcp-fittings)(?:\.[^/]*)?\//i;

function checkHeaders(server: string, headers: unknown): void {
  if (!isRecord(headers)) throw invalid('The "headers" of a call must be an object.', undefined, server);
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const problem = isOwned(lower)
      ? 'belongs to the transport or the sign-in'
      : seen.has(lower)
        ? 'is set twice'
        : headerProblem(lower, value);
    if (problem !== undefined)
      throw new FittingsError('HEADER_INVALID', `The header ${shown(name)} of a call ${problem}.`, {
        server,
        delivery: 'not-sent',
        hint: 'Credentials come from the sign-in of the server, or from "headers" of its entry.',
      });
    seen.add(lower);
  }
}

/** Returns whether a header carries credentials, or is set by the transport. */
function isOwned(name: string): boolean {
  return CONNECTION_HEADERS.has(name) || OWNED_HEADERS.test(name);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** Throws `CONFIG_INVALID` unless the option `task` of a tool call is an object whose members have the right types. */
export function checkTaskOptions(task: unknown): void {
  const { resume = 'none', onUpdate = invalid, keep = false } = isRecord(task) ? task : { resume: null };
  if (
    resume === '' ||
    typeof resume !== 'string' ||
    typeof onUpdate !== 'function' ||
    typeof keep !== 'boolean'
  )
    throw invalid('The option "task" of host.callTool() must be { onUpdate, resume, keep }.');
}

/** Throws `CONFIG_INVALID` unless the value is an object of entries. */
export function checkEntries(entries: unknown): void {
  if (!isRecord(entries))
    throw invalid(
      `The first argument of host.connect() must be an object that maps names to entries, not ${kindOf(entries)}.`,
    );
  const { mcpServers: inner } = entries;
  // A server may have that name, and then its entry has one of these.
  if (isRecord(inner) && !['type', 'command', 'url'].some((field) => field in inner))
    throw invalid(
      'The first argument of host.connect() is a whole configuration with "mcpServers".',
      'Pass the entries alone: host.connect(configuration.mcpServers).',
    );
  for (const [name, entry] of Object.entries(entries))
    if (!isRecord(entry))
      throw invalid(
        `The entry of the server "${name}" must be an object, not ${kindOf(entry)}.`,
        'Use { command, args } for a local server, or { url } for a remote one.',
      );
}

/** Throws `CONFIG_INVALID` unless the value is a string. */
export function checkText(what: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid(`${what} must be a string, not ${kindOf(value)}.`);
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
const LIMITS: OptionNames<HostLimits> = { ...DEFAULT_LIMITS, listMs: undefined };
const CALLBACKS: OptionNames<HostCallbacks> = {
  elicit: true,
  elicitationModes: true,
  sample: true,
  roots: true,
};

/** Throws `CONFIG_INVALID` if a required option is missing, or an option is unknown or invalid. */
export function checkHostOptions(options: unknown): void {
  const given = checkOptions('createHost()', options, OPTIONS);
  const { engine, transports, intercept, callbacks = {}, limits = {} } = given;
  checkOptions('"limits" of createHost()', limits, LIMITS);
  const missing = ['name', 'version'].filter((member) => typeof given[member] !== 'string');
  if (missing.length > 0)
    throw invalid(
      `createHost() requires the name and version of your program as strings; missing: ${missing.join(', ')}.`,
    );
  if (engine !== undefined && !hasMethod(engine, 'connect'))
    throw invalid(
      'The option "engine" of createHost() must be an engine.',
      'Call the function of an engine: { engine: sdkV2() }.',
    );
  if (!Array.isArray(transports) || !transports.every((plugin) => hasMethod(plugin, 'create')))
    throw invalid(
      'createHost() requires the option "transports": an array of transport plugins.',
      'Call the function of each transport package: { transports: [stdio(), http()] }.',
    );
  const isInterceptor = (value: unknown): boolean => typeof value === 'function' || isRecord(value);
  if (intercept !== undefined && !(Array.isArray(intercept) && intercept.every(isInterceptor)))
    throw invalid('The option "intercept" of createHost() must be an array of interceptors.');
  // A callback under another name would never be called, and its servers would be refused without a word.
  const named = checkOptions('"callbacks" of createHost()', callbacks, CALLBACKS);
  for (const [name, value] of Object.entries(named)) {
    const [isRight, kind] =
      name === 'elicitationModes'
        ? [Array.isArray(value), 'an array']
        : [typeof value === 'function', 'a function'];
    if (value !== undefined && !isRight)
      throw invalid(`The member "${name}" of "callbacks" of createHost() must be ${kind}.`);
  }
}

function hasMethod(value: unknown, name: string): boolean {
  return isRecord(value) && typeof value[name] === 'function';
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
