import { FittingsError } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/toolbox/text';
import { z } from 'zod';

/** The pins of one server for one person, as they are stored: plain JSON. */
export interface PinRecord {
  /** The version of this format. */
  readonly version: 1;
  /** Name of the server when it was pinned. For display: the pins belong to its identity. */
  readonly server: string;
  /** Identity of the server: `ServerSnapshot.identity`, or what `identify` returned. */
  readonly identity: string;
  /** The person, in a host that serves several. */
  readonly principal?: string | undefined;
  /** Time of the first use of the server, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The instructions of the server; null if it sent none; absent as long as they are not known. */
  readonly instructions?: string | null | undefined;
  /** Its tools, each as it was when the person first used the server, or agreed to it later; also those that it no longer lists. */
  readonly tools: readonly {
    /** Name that the server gives the tool. */
    readonly name: string;
    /** `CatalogTool.digest` at that time. */
    readonly digest: string;
    /** Time when it was pinned, in milliseconds since the Unix epoch. */
    readonly at: number;
    /** Members of the tool that were pinned. */
    readonly definition: Readonly<Record<string, unknown>>;
  }[];
}

export type ToolPin = PinRecord['tools'][number];

const shape = z.object({
  version: z.literal(1),
  server: z.string(),
  identity: z.string(),
  principal: z.string().optional(),
  at: z.number(),
  instructions: z.string().nullable().optional(),
  tools: z.array(
    z.object({
      name: z.string(),
      digest: z.string(),
      at: z.number(),
      definition: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** A server may add tools without end under `warn`. Pins of tools that it no longer lists make room, the oldest first. */
const MAX_PINS = 20_000;

/** Reads a stored record. Throws `STORE_CORRUPT`: without its pins, a server counts as unknown and nothing of it is used. */
export function parseRecord(stored: unknown, server: string): PinRecord | undefined {
  if (stored === undefined) return undefined;
  const parsed = shape.safeParse(stored);
  if (parsed.success) return parsed.data;
  throw new FittingsError(
    'STORE_CORRUPT',
    `The stored pins of the server "${escapeText(server, { maxLength: 128 })}" are malformed.`,
    {
      server,
      cause: parsed.error,
      hint: 'Remove them. The tools that the server has then are pinned again, without a comparison.',
    },
  );
}

/** Returns the record with these pins added or replaced. */
export function withPins(
  record: PinRecord,
  pins: readonly ToolPin[],
  listed: ReadonlySet<string>,
): PinRecord {
  const tools = new Map(record.tools.map((pin) => [pin.name, pin]));
  for (const pin of pins) tools.set(pin.name, pin);
  return { ...record, tools: atMost([...tools.values()], listed) };
}

function atMost(pins: readonly ToolPin[], listed: ReadonlySet<string>): readonly ToolPin[] {
  const excess = pins.length - MAX_PINS;
  if (excess <= 0) return pins;
  const absent = pins.filter(({ name }) => !listed.has(name)).toSorted((a, b) => a.at - b.at);
  const dropped = new Set(absent.slice(0, excess));
  return pins.filter((pin) => !dropped.has(pin));
}
