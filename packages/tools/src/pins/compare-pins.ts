import { canonicalJson, hashText } from '@mcp-fittings/toolbox/text';
import type { CatalogTool } from '@mcp-fittings/host';
import { groupBy } from '../names/keys.js';
import { contentOf, definitionOf } from './definition.js';
import type { PinRecord } from './pin-record.js';
import type { PinReview } from './tool-pins.js';

/** The tools of one server at one moment. */
export interface PinnedServer {
  /** Name of the server in the host. */
  readonly name: string;
  /** `ServerSnapshot.identity`. Without it, and without `identify`, pins last as long as the process. */
  readonly identity?: string | undefined;
  /** The person whose connection listed the tools, in a host that serves several. Default: one person. */
  readonly principal?: string | undefined;
  /** All tools that the server lists. */
  readonly tools: readonly CatalogTool[];
  /** Its instructions; null if it sends none; undefined if they are not known, because it is not connected. */
  readonly instructions?: string | null | undefined;
}

/** A difference between what a server offers and what the person agreed to. */
export interface PinChange {
  /**
   * `changed`: the definition of a pinned tool differs. `added`: the server did not have this tool. `renamed`: it did, under a name
   * that it no longer lists. `instructions`: the instructions of the server differ; there is no tool.
   */
  readonly kind: 'changed' | 'added' | 'renamed' | 'instructions';
  /** Name of the server. */
  readonly server: string;
  /** Name of the tool; empty for `instructions`. Escape it before you show it. */
  readonly tool: string;
  /**
   * Name of a pinned tool that has this definition. For `renamed`, it is the earlier name. If two tools were swapped, both are
   * `changed` and name each other.
   */
  readonly other?: string | undefined;
  /** The tool that the person agreed to; undefined for a tool that was added. */
  readonly before: Readonly<Record<string, unknown>> | undefined;
  /**
   * The tool that the server offers now: the members by which a model, a person or this package decides, or the single member
   * `instructions`. All of it is the server's text.
   */
  readonly after: Readonly<Record<string, unknown>>;
  /** Digest of what the server offers now. Agreeing to the change agrees to this and to nothing else. */
  readonly digest: string;
}

/** Compares the tools and the instructions of a server with its pins. */
export function comparePins(
  record: PinRecord,
  server: PinnedServer,
): Pick<PinReview, 'changes' | 'absent' | 'waiting'> {
  const pins = new Map(record.tools.map((pin) => [pin.name, pin]));
  // Of two tools with one name, the first is called.
  const listed = new Map(server.tools.toReversed().map((tool) => [tool.name, tool]));
  const differing = server.tools.filter(
    (tool) => listed.get(tool.name) === tool && pins.get(tool.name)?.digest !== tool.digest,
  );
  const namesByContent =
    differing.length === 0 ? undefined : groupBy(record.tools, ({ definition }) => contentOf(definition));
  const changes = differing.flatMap((tool): PinChange[] => {
    const { name, digest } = tool;
    const before = pins.get(name)?.definition;
    const after = definitionOf(tool);
    const same = namesByContent?.get(contentOf(after))?.map((pin) => pin.name) ?? [];
    // It differs in members that are not pinned.
    if (same.includes(name)) return [];
    const gone = same.find((other) => !listed.has(other));
    const kind = before !== undefined ? 'changed' : gone === undefined ? 'added' : 'renamed';
    const other = kind === 'renamed' ? gone : same[0];
    const found = { kind, server: server.name, tool: name, before, after, digest } as const;
    return [{ ...found, ...(other !== undefined && { other }) }];
  });
  const instructions = changedInstructions(record, server);
  if (instructions !== undefined) changes.push(instructions);
  return {
    changes,
    absent: [...pins.keys()].filter((name) => !listed.has(name)),
    waiting: new Map(changes.map((change) => [change.tool, change])),
  };
}

function changedInstructions(record: PinRecord, { name, instructions }: PinnedServer): PinChange | undefined {
  if (instructions === undefined || record.instructions === undefined) return undefined;
  if (instructions === record.instructions) return undefined;
  const after = { instructions };
  const digest = hashText(canonicalJson(after)).slice(0, 22);
  return {
    kind: 'instructions',
    server: name,
    tool: '',
    before: { instructions: record.instructions },
    after,
    digest,
  };
}
