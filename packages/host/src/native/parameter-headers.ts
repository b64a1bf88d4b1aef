import {
  type ParameterHeader,
  parameterHeaders,
  parameterText,
} from '@mcp-fittings/toolbox/parameter-headers';
import { toBase64 } from '@mcp-fittings/toolbox/text';
import type { ToolDefinition } from '../contracts/catalog.js';

/**
 * Repeats arguments in headers where the input schema of a tool says so, so that proxies can route by them (SEP-2243). Each schema is
 * read once.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers)
 */
export class ParameterHeaders {
  readonly #known = new WeakMap<object, readonly ParameterHeader[]>();

  /** Returns the headers that repeat arguments of one call; `undefined` if there are none. */
  of(tool: ToolDefinition | undefined, args: unknown): Readonly<Record<string, string>> | undefined {
    if (tool === undefined) return undefined;
    const { inputSchema } = tool;
    const parameters = this.#known.get(inputSchema) ?? parameterHeaders(inputSchema);
    this.#known.set(inputSchema, parameters);
    let headers: Record<string, string> | undefined;
    for (const parameter of parameters) {
      const text = parameterText(args, parameter);
      if (text !== undefined) (headers ??= {})[parameter.header] = encode(text);
    }
    return headers;
  }
}

const ENCODED = /^=\?base64\?.*\?=$/s;
/** Printable ASCII without white space at either end. */
const PLAIN = /^[!-~](?:[\t -~]*[!-~])?$/;

function encode(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${toBase64(new TextEncoder().encode(text))}?=`;
}
