import { FittingsError } from '@mcp-fittings/client-core';
import { CONNECTION_HEADERS, headerProblem } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { CallOptions } from '../contracts/host.js';

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
    throw invalid(server, 'The "principal" of a call must be a string that is not empty.');
  if (meta !== undefined) checkMeta(server, meta);
  if (headers !== undefined) checkHeaders(server, headers);
}

function checkMeta(server: string, meta: unknown): void {
  if (!isRecord(meta)) throw invalid(server, 'The "meta" of a call must be an object.');
  const reserved = Object.keys(meta).find(isReservedMetaKey);
  if (reserved === undefined) return;
  throw invalid(
    server,
    `The key ${shown(reserved)} in the "meta" of a call is reserved for the protocol.`,
    'Use a key with a prefix of your own, such as "com.example/tenant".',
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
  if (!isRecord(headers)) throw invalid(server, 'The "headers" of a call must be an object.');
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

function invalid(server: string, message: string, hint?: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { server, hint, delivery: 'not-sent' });
}
