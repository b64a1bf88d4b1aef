import { FittingsError } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/toolbox/text';
import type { ToolRef } from '@mcp-fittings/host';
import type { ToolsOptions } from '../create-tools.js';
import { groupBy, hashPair, pairKey } from './keys.js';
import { nameLimits, NameShortener } from './shorten-name.js';

/**
 * Returns the name that a model calls a tool by, or several names in order of preference. A later one is used if another tool
 * claims the earlier one. The result must depend on the tool only, so that a tool has the same name in every run.
 */
export type NamingStrategy = (ref: ToolRef) => string | readonly [string, ...string[]];

/**
 * The common ways to name the tools of several servers. Pass one of them, or a function of your own, as the option `naming`.
 * @example
 * ```ts
 * createTools(host, { naming: naming.bare });
 * createTools(host, { naming: ({ server, tool }) => `${tool}_at_${server}` });
 * ```
 */
export const naming = {
  /** `mcp__server__tool`. The default. */
  mcpPrefixed: ({ server, tool }) => `mcp__${server}__${tool}`,
  /** `mcp_server_tool`. */
  mcpSingle: ({ server, tool }) => `mcp_${server}_${tool}`,
  /** `tool`, or `server__tool` for each of several tools with the same name. */
  bare: ({ server, tool }) => [tool, `${server}__${tool}`],
  /** `server__tool`. */
  serverPrefixed: ({ server, tool }) => `${server}__${tool}`,
} as const satisfies Record<string, NamingStrategy>;

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
export function createToolNames(
  tools: Iterable<ToolRef>,
  options: Pick<ToolsOptions, 'naming' | 'nameLimits'> = {},
): ToolNames {
  return nameTools(tools, options);
}

/** @param reserved Names that no tool gets, in lower case. */
export function nameTools(
  tools: Iterable<ToolRef>,
  options: Pick<ToolsOptions, 'naming' | 'nameLimits'>,
  reserved: readonly string[] = [],
): ToolNames {
  const strategy = options.naming ?? naming.mcpPrefixed;
  const shortener = new NameShortener(options.nameLimits ?? nameLimits.portable);
  const claims = new Map<string, Claim>();
  for (const { server, tool } of tools) {
    const key = keyOf({ server, tool });
    if (!claims.has(key)) claims.set(key, new Claim({ server, tool }, strategy, shortener));
  }
  resolveCollisions([...claims.values()], new Set(reserved));
  const byKey = new Map<string, string>();
  const byName = new Map<string, ToolRef>();
  for (const [key, { name, ref }] of claims) {
    byKey.set(key, name);
    byName.set(name, ref);
  }
  return {
    size: byName.size,
    nameOf: (ref) => byKey.get(keyOf(ref)),
    refOf: (name) => byName.get(name),
    entries: () => byName.entries(),
    nearest: (name) => nearestNames(name, byName.keys()),
  };
}

/** A tool with its possible names; `level` is the index of the one that it claims now. */
class Claim {
  readonly ref: ToolRef;
  level = 0;
  readonly #texts: readonly string[];
  readonly #shortener: NameShortener;
  #name: string;

  constructor(ref: ToolRef, strategy: NamingStrategy, shortener: NameShortener) {
    const preferred = strategy(ref);
    this.ref = ref;
    this.#texts = typeof preferred === 'string' ? [preferred] : preferred;
    this.#shortener = shortener;
    this.#name = this.#nameAt(0);
  }

  get name(): string {
    return this.#name;
  }

  /** True if the name needed no change. */
  get unaltered(): boolean {
    return this.#name === this.#texts[this.level];
  }

  get isLast(): boolean {
    return this.level === this.#texts.length + SUFFIX_LENGTHS.length - 1;
  }

  raise(): void {
    this.level++;
    this.#name = this.#nameAt(this.level);
  }

  /** Nearly every tool keeps its first name, so that the others are made when they are needed. */
  #nameAt(level: number): string {
    const text = this.#texts[level];
    if (text !== undefined) return this.#shortener.shorten(text);
    const length = SUFFIX_LENGTHS[level - this.#texts.length] ?? 0;
    const { server, tool } = this.ref;
    const start = this.#shortener.shorten(this.#texts.at(-1) ?? '', this.#shortener.maxLength - length - 1);
    return `${start}_${hashPair(server, tool).slice(0, length)}`;
  }
}

/** Characters of the hash in the suffix. A longer one is used only if a shorter one collides. */
const SUFFIX_LENGTHS = [8, 16, 26];

/** Raises levels until no two names collide. Each round looks at all claims, so that their order does not matter. */
function resolveCollisions(claims: readonly Claim[], reserved: ReadonlySet<string>): void {
  for (let collided = true; collided;) {
    collided = false;
    for (const [name, group] of groupBy(claims, (claim) => claim.name.toLowerCase())) {
      if (group.length === 1 && !reserved.has(name)) continue;
      collided = true;
      const keeper = reserved.has(name) ? undefined : keeperOf(group);
      let moved = false;
      for (const claim of group) {
        if (claim === keeper || claim.isLast) continue;
        claim.raise();
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

/** Returns the claim that keeps its name: the only one that needed no change, unless another one is at its last name. */
function keeperOf(group: readonly Claim[]): Claim | undefined {
  if (group.some(({ isLast }) => isLast)) return undefined;
  const unaltered = group.filter((claim) => claim.unaltered);
  return unaltered.length === 1 ? unaltered[0] : undefined;
}

const keyOf = ({ server, tool }: ToolRef): string => pairKey(server, tool);
