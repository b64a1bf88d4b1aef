import { isRecord } from '@mcp-fittings/toolbox/messages';
import { toBase64 } from '@mcp-fittings/toolbox/text';
import type { ToolDefinition } from '../contracts/catalog.js';
import { headerAnnotations, type HeaderAnnotation } from '../engine/header-annotations.js';

const PREFIX = 'Mcp-Param-';

/**
 * Repeats arguments in headers where the input schema of a tool says so, so that proxies can route by them (SEP-2243). Each schema is
 * read once.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers)
 */
export class ParameterHeaders {
  readonly #known = new WeakMap<object, readonly HeaderAnnotation[]>();

  /** Returns the headers that repeat arguments of one call; `undefined` if there are none. */
  of(tool: ToolDefinition | undefined, args: unknown): Readonly<Record<string, string>> | undefined {
    if (tool === undefined) return undefined;
    let headers: Record<string, string> | undefined;
    for (const { name, path } of this.#annotationsOf(tool)) {
      const text = textOf(args, path);
      if (text !== undefined) (headers ??= {})[PREFIX + name] = encode(text);
    }
    return headers;
  }

  #annotationsOf({ inputSchema }: ToolDefinition): readonly HeaderAnnotation[] {
    let annotations = this.#known.get(inputSchema);
    if (annotations === undefined)
      this.#known.set(inputSchema, (annotations = headerAnnotations(inputSchema)));
    return annotations;
  }
}

/** Returns the value of an argument as text; `undefined` if no header is sent for it. */
function textOf(args: unknown, path: readonly string[]): string | undefined {
  let value = args;
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  // Other integers are not exact, so the header would differ from the body.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

const ENCODED = /^=\?base64\?.*\?=$/s;
/** Printable ASCII without white space at either end. */
const PLAIN = /^[!-~](?:[\t -~]*[!-~])?$/;

function encode(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${toBase64(new TextEncoder().encode(text))}?=`;
}
