import { FittingsError } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';
import type { ToolRef } from '@mcp-fittings/host';
import { createNameFitter, nameLimits, type NameFitter, type NameLimits } from './name-limits.js';
import { naming, type NamingStrategy } from './naming.js';

import { hashOfPair } from './short-hash.js';

export interface ToolNamesOptions {
  /** Default `naming.mcpPrefixed`. */
  readonly naming?: NamingStrategy | undefined;
  /** Default `nameLimits.portable`. */
  readonly limits?: NameLimits | undefined;
}

/** Names for the model and the way back. Routing asks this map; no name is ever taken apart. */
export interface ToolNames {
  readonly size: number;
  /** Undefined for a tool that is not in the map. */
  nameOf(ref: ToolRef): string | undefined;
  /** Undefined for a name that is not in the map, also when only its case differs. */
  refOf(name: string): ToolRef | undefined;
  /** Each name with its tool, in the order of the tools that were given. */
  entries(): Iterable<readonly [name: string, ref: ToolRef]>;
  /** At most three known names like this one, best first. */
  nearest(name: string): readonly string[];
}

/**
 * One valid name for each tool. No two names are equal or differ in case only. The map depends on the set of tools,
 * not on its order; a name changes only when another tool comes or goes that would otherwise share it. In such a
 * collision the tool whose name needed no alteration keeps it if there is one such tool; every other one takes
 * its next name of the strategy and in the end a suffix made of a hash of (server, tool).
 */
export function createToolNames(tools: Iterable<ToolRef>, options: ToolNamesOptions = {}): ToolNames {
  const strategy = options.naming ?? naming.mcpPrefixed;
  const fitter = createNameFitter(options.limits ?? nameLimits.portable);
  const claims = new Map<string, Claim>();
  for (const { server, tool } of tools) {
    const key = keyOf({ server, tool });
    if (!claims.has(key)) claims.set(key, makeClaim({ server, tool }, strategy, fitter));
  }
  settle([...claims.values()]);

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

/** A tool with the names that it may get; `level` says which of them it claims now. */
interface Claim {
  readonly ref: ToolRef;
  readonly names: readonly { readonly name: string; readonly unaltered: boolean }[];
  level: number;
}

/** Characters of the hash in the suffix: more only where fewer are not enough. */
const SUFFIX_LENGTHS = [8, 16, 26];

function makeClaim(ref: ToolRef, strategy: NamingStrategy, fitter: NameFitter): Claim {
  const wishes = strategy(ref);
  const texts = typeof wishes === 'string' ? [wishes] : wishes;
  const names = texts.map((text) => {
    const name = fitter.fit(text);
    return { name, unaltered: name === text };
  });
  const hash = hashOfPair(ref.server, ref.tool);
  const last = texts.at(-1) ?? '';
  for (const length of SUFFIX_LENGTHS) {
    const name = `${fitter.fit(last, fitter.maxLength - length - 1)}_${hash.slice(0, length)}`;
    names.push({ name, unaltered: false });
  }
  return { ref, names, level: 0 };
}

/** Moves claims up until no two are alike. It looks at all claims at once, so that their order has no influence. */
function settle(claims: readonly Claim[]): void {
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
      if (!moved) throw new FittingsError('CONFIG_INVALID', 'Two tools can not be given different names.');
    }
  }
}

/** Claims whose names are equal or differ in case only. */
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

/** The only one whose name needed no alteration, unless another one has no name left to give way to. */
function keeperOf(group: readonly Claim[]): Claim | undefined {
  if (group.some(isLast)) return undefined;
  const unaltered = group.filter((claim) => claim.names[claim.level]?.unaltered === true);
  return unaltered.length === 1 ? unaltered[0] : undefined;
}

const nameOf = (claim: Claim): string => claim.names[claim.level]?.name ?? '';
const isLast = (claim: Claim): boolean => claim.level === claim.names.length - 1;
const keyOf = ({ server, tool }: ToolRef): string => JSON.stringify([server, tool]);
