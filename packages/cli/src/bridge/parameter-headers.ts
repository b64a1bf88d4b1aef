import { isRecord } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';

/**
 * Adds the `Mcp-Param-*` headers to tool calls. HTTP requires some arguments in headers too, and a client of another
 * transport does not send them, so the bridge learns them from the server's list of tools.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export interface ParameterHeaders {
  /** Reads the annotations of a `tools/list` result. */
  learn(result: JSONRPCObject): void;
  /** Returns the headers of a tool call. */
  headersOf(params: JSONRPCObject | undefined): Readonly<Record<string, string>>;
}

interface ParameterHeader {
  readonly header: string;
  /** Property names from the arguments down to the value. */
  readonly path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~\w-]{1,128}$/;
const DEEPEST = 32;
const MOST_TOOLS = 10_000;

export function createParameterHeaders(): ParameterHeaders {
  const byTool = new Map<string, readonly ParameterHeader[]>();
  return {
    learn({ tools }) {
      for (const tool of Array.isArray(tools) ? tools : []) {
        if (!isRecord(tool) || typeof tool['name'] !== 'string') continue;
        const { name, inputSchema } = tool;
        const found = [...annotationsIn(inputSchema, [])];
        if (found.length === 0) byTool.delete(name);
        else if (byTool.size < MOST_TOOLS) byTool.set(name, found);
      }
    },
    headersOf(params) {
      const name = params?.['name'];
      const mirrored = typeof name === 'string' ? (byTool.get(name) ?? []) : [];
      return Object.fromEntries(
        mirrored.flatMap(({ header, path }) => {
          const text = textOf(valueAt(params?.['arguments'], path));
          return text === undefined ? [] : [[`Mcp-Param-${header}`, text]];
        }),
      );
    },
  };
}

/** Only values that a chain of `properties` leads to may be in headers. */
function* annotationsIn(schema: unknown, path: readonly string[]): Generator<ParameterHeader> {
  if (!isRecord(schema) || path.length > DEEPEST) return;
  const header = schema[ANNOTATION];
  if (typeof header === 'string' && TOKEN.test(header)) yield { header, path };
  const { properties } = schema;
  if (!isRecord(properties)) return;
  for (const [name, property] of Object.entries(properties)) yield* annotationsIn(property, [...path, name]);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const step of path)
    current = isRecord(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  return current;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}
