import { createHash } from 'node:crypto';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import type { CatalogTool } from '@mcp-fittings/host';
import { contentOf, definitionOf } from './definition.js';
import type { PinRecord, ToolPin } from './pin-record.js';
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

/** Pins by name, with what comparing them has found out. Made once for each record. */
export interface PinIndex {
  readonly record: PinRecord;
  readonly pins: ReadonlyMap<string, ToolPin>;
  /** Digests of definitions that differ from the pin only in members that are not pinned. */
  readonly alike: Map<string, string>;
  /** Names by content, made when a tool differs. */
  byContent?: ReadonlyMap<string, readonly string[]>;
}

export function indexPins(record: PinRecord): PinIndex {
  return { record, pins: new Map(record.tools.map((pin) => [pin.name, pin])), alike: new Map() };
}

/** Compares the tools and the instructions of a server with its pins. */
export function comparePins(index: PinIndex, server: PinnedServer): Pick<PinReview, 'changes' | 'absent'> {
  const { pins, alike } = index;
  const listed = new Set<string>();
  const differing = server.tools.filter(({ name, digest }) => {
    // Of two tools with one name, the first is called.
    if (listed.has(name)) return false;
    listed.add(name);
    const pin = pins.get(name);
    return pin === undefined || (pin.digest !== digest && alike.get(name) !== digest);
  });
  const changes = differing.flatMap((tool) => changeOf(index, listed, server.name, tool) ?? []);
  const instructions = changedInstructions(index.record, server);
  return {
    changes: instructions === undefined ? changes : [...changes, instructions],
    absent: [...pins.keys()].filter((name) => !listed.has(name)),
  };
}

function changeOf(
  index: PinIndex,
  listed: ReadonlySet<string>,
  server: string,
  tool: CatalogTool,
): PinChange | undefined {
  const { name, digest } = tool;
  const before = index.pins.get(name)?.definition;
  const after = definitionOf(tool);
  const content = contentOf(after);
  if (before !== undefined && contentOf(before) === content) {
    index.alike.set(name, digest);
    return undefined;
  }
  const same = (namesByContent(index).get(content) ?? []).filter((other) => other !== name);
  const gone = same.find((other) => !listed.has(other));
  const kind = before !== undefined ? 'changed' : gone === undefined ? 'added' : 'renamed';
  const other = kind === 'renamed' ? gone : same[0];
  return { kind, server, tool: name, ...(other !== undefined && { other }), before, after, digest };
}

function namesByContent(index: PinIndex): ReadonlyMap<string, readonly string[]> {
  if (index.byContent !== undefined) return index.byContent;
  const names = new Map<string, string[]>();
  for (const { name, definition } of index.record.tools) {
    const content = contentOf(definition);
    const same = names.get(content);
    if (same === undefined) names.set(content, [name]);
    else same.push(name);
  }
  index.byContent = names;
  return names;
}

function changedInstructions(record: PinRecord, { name, instructions }: PinnedServer): PinChange | undefined {
  if (instructions === undefined || record.instructions === undefined) return undefined;
  if (instructions === record.instructions) return undefined;
  const after = { instructions };
  const digest = createHash('sha256').update(canonicalJson(after)).digest('base64url').slice(0, 22);
  return {
    kind: 'instructions',
    server: name,
    tool: '',
    before: { instructions: record.instructions },
    after,
    digest,
  };
}
