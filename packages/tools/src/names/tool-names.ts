import { FittingsError } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';
import type { ToolRef } from '@mcp-fittings/host';
import { hashPair } from './name-hash.js';
import { naming, type NamingStrategy } from './naming-strategies.js';
import { createNameShortener, nameLimits, type NameLimits, type NameShortener } from './shorten-name.js';

/** How tools are named for a model. */
export interface ToolNamesOptions {
  /** What a name looks like. Default `naming.mcpPrefixed`: `mcp__server__tool`. */
  readonly naming?: NamingStrategy | undefined;
  /** What the model API accepts as a name. Longer names are shortened. Default `nameLimits.portable`, which fits all APIs. */
  readonly nameLimits?: NameLimits | undefined;
}

/** Maps tools to the names that a model calls them by, and back. A name is looked up here and never parsed. */
export interface ToolNames {
  /** Number of tools. */
  readonly size: number;
  /** Returns the name of a tool, or undefined if it is not in the map. */
  nameOf(ref: ToolRef): string | undefined;
  /** Returns the tool with this name, or undefined if it is not in the map. Names are case-sensitive. */
  refOf(name: string): ToolRef | undefined;
  /** Iterates over each name with its tool, in the order of the tools passed to {@link createToolNames}. */
  entries(): Iterable<readonly [name: string, ref: ToolRef]>;
  /** Returns at most three known names that resemble this one, most similar first. */
  nearest(name: string): readonly string[];
}

/**
 * Gives each tool a valid, unique name. Names that are too long are shortened; no two names are equal or differ only in case.
 *
 * The names depend on the set of tools, not on their order: a name changes only if another tool that claims it is added or
 * removed. In such a collision, the tool whose name needed no change keeps it if there is exactly one; the others
 * use the next name of their strategy and finally a suffix, a hash of server and tool.
 *
 * @throws {FittingsError} `CONFIG_INVALID` if `nameLimits` is invalid.
 * @example
 * ```ts
 * const names = createToolNames([{ server: 'files', tool: 'read' }]);
 * console.log(names.nameOf({ server: 'files', tool: 'read' })); // mcp__files__read
 * console.log(names.refOf('mcp__files__read')); // { server: 'files', tool: 'read' }
 * ```
 */
export function createToolNames(tools: Iterable<ToolRef>, options: ToolNamesOptions = {}): ToolNames {
  const strategy = options.naming ?? naming.mcpPrefixed;
  const shortener = createNameShortener(options.nameLimits ?? nameLimits.portable);
  const claims = new Map<string, Claim>();
  for (const { server, tool } of tools) {
    const key = keyOf({ server, tool });
    if (!claims.has(key)) claims.set(key, makeClaim({ server, tool }, strategy, shortener));
  }
  resolveCollisions([...claims.values()]);

  const byName = new Map<string, ToolRef>();
  for (const claim of claims.values()) byName.set(nameOf(claim), claim.ref);
  return {
    size: byName.size,
    nameOf: (ref) => {
      const claim = claims.get(keyOf(ref));
      return claim === undefined ? undefined : nameOf(claim);
    },
    refOf: (name) => byName.get(name),
    entries: () => byName.entries(),
    nearest: (name) => nearestNames(name, byName.keys()),
  };
}

/** A tool with its possible names; `level` is the index of the one that it claims now. */
interface Claim {
  readonly ref: ToolRef;
  readonly names: readonly { readonly name: string; readonly unaltered: boolean }[];
  level: number;
}

/** Characters of the hash in the suffix. A longer one is used only if a shorter one collides. */
const SUFFIX_LENGTHS = [8, 16, 26];

function makeClaim(ref: ToolRef, strategy: NamingStrategy, shortener: NameShortener): Claim {
  const preferred = strategy(ref);
  const texts = typeof preferred === 'string' ? [preferred] : preferred;
  const names = texts.map((text) => {
    const name = shortener.shorten(text);
    return { name, unaltered: name === text };
  });
  const hash = hashPair(ref.server, ref.tool);
  const last = texts.at(-1) ?? '';
  for (const length of SUFFIX_LENGTHS) {
    const name = `${shortener.shorten(last, shortener.maxLength - length - 1)}_${hash.slice(0, length)}`;
    names.push({ name, unaltered: false });
  }
  return { ref, names, level: 0 };
}

/** Raises levels until no two names collide. Each round looks at all claims, so that their order does not matter. */
function resolveCollisions(claims: readonly Claim[]): void {
  for (let collided = true; collided;) {
    collided = false;
    for (const group of groupsOf(claims)) {
      if (group.length === 1) continue;
      collided = true;
      const keeper = keeperOf(group);
      let moved = false;
      for (const claim of group) {
        if (claim === keeper || isLast(claim)) continue;
        claim.level++;
        moved = true;
      }
      if (!moved)
        throw new FittingsError(
          'CONFIG_INVALID',
          'Could not give two tools different names within nameLimits.',
        );
    }
  }
}

/** Groups the claims whose names are equal or differ only in case. */
function groupsOf(claims: readonly Claim[]): Iterable<readonly Claim[]> {
  const groups = new Map<string, Claim[]>();
  for (const claim of claims) {
    const folded = nameOf(claim).toLowerCase();
    const group = groups.get(folded);
    if (group === undefined) groups.set(folded, [claim]);
    else group.push(claim);
  }
  return groups.values();
}

/** Returns the claim that keeps its name: the only one that needed no change, unless another one is at its last name. */
function keeperOf(group: readonly Claim[]): Claim | undefined {
  if (group.some(isLast)) return undefined;
  const unaltered = group.filter((claim) => claim.names[claim.level]?.unaltered === true);
  return unaltered.length === 1 ? unaltered[0] : undefined;
}

const nameOf = (claim: Claim): string => claim.names[claim.level]?.name ?? '';
const isLast = (claim: Claim): boolean => claim.level === claim.names.length - 1;
const keyOf = ({ server, tool }: ToolRef): string => JSON.stringify([server, tool]);
