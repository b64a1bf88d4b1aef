import { isRecord } from './messages.js';
import { fromBase64 } from './text/base64.js';

/** An argument of a tool that is repeated in a header of the request, so that proxies can route by it. */
export interface ParameterHeader {
  /** Name of the header, such as `Mcp-Param-Region`. */
  readonly header: string;
  /** Names of the properties that lead from the arguments to the value. */
  readonly path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~\w-]{1,128}$/;
const MAX_DEPTH = 32;

/**
 * Returns the arguments that the schema of a tool marks with `x-mcp-header`. Only a chain of `properties` can lead to them.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export function parameterHeaders(inputSchema: unknown): readonly ParameterHeader[] {
  return [...annotationsIn(inputSchema, [])];
}

function* annotationsIn(schema: unknown, path: readonly string[]): Generator<ParameterHeader> {
  if (!isRecord(schema) || path.length > MAX_DEPTH) return;
  const name = schema[ANNOTATION];
  if (typeof name === 'string' && TOKEN.test(name)) yield { header: `Mcp-Param-${name}`, path };
  const { properties } = schema;
  if (!isRecord(properties)) return;
  for (const [key, property] of Object.entries(properties)) yield* annotationsIn(property, [...path, key]);
}

/** Returns the value of the argument as the header has it, not encoded; `undefined` if no header is sent for it. */
export function parameterText(args: unknown, { path }: ParameterHeader): string | undefined {
  let value = args;
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes the value of a parameter header. Returns `undefined` for invalid Base64 or UTF-8. */
export function decodeParameterText(value: string): string | undefined {
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return value;
  if (!BASE64.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(encoded));
  } catch {
    return undefined;
  }
}
