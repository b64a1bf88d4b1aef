import { isRecord } from '@mcp-fittings/toolbox/messages';
import { type JsonValue, membersOf, readJsonValue, type Node } from '../jsonc/json-value.js';
import { foldWord, toolNames } from './foreign-words.js';
import { restrictBy, type Restrictions } from './read-words.js';

/** A setting of another program, beside the servers of a file, that switches off servers or tools. */
export interface FileWord {
  /** The keys that lead to it: `mcp.excluded`. */
  readonly path: string;
  /** Returns what it forbids a server of this name. */
  readonly restrictionsOf: (server: string) => Restrictions;
}

/**
 * - `off`, `only`: the value lists names of servers
 * - `none`: `false` or `"none"` switches off all servers
 * - `denied`: the value lists tools of all servers, by the names that the prefixes make of them
 * - `tools`: the value maps such names to decisions, or is one; programs have other values there that forbid nothing
 */
type Rule =
  | { readonly kind: 'off' | 'only' | 'none' }
  | { readonly kind: 'denied' | 'tools'; readonly names: (server: string) => readonly string[] };

/** Names of a server as a prefix of its tools; other programs replace characters in it. */
const spellings = (server: string): readonly string[] => [
  ...new Set([server, server.replaceAll(/[^\w-]/g, '_'), server.replaceAll(/\W/g, '_')]),
];
const prefixed =
  (...forms: readonly ((server: string) => string)[]) =>
  (server: string): readonly string[] =>
    spellings(server).flatMap((name) => forms.map((form) => form(name)));

/** The settings, by their keys. A key is compared in any spelling. */
const RULES: readonly (readonly [keys: readonly string[], rule: Rule])[] = [
  // Gemini CLI, now and before version 0.3
  [['mcp', 'excluded'], { kind: 'off' }],
  [['mcp', 'allowed'], { kind: 'only' }],
  [['excludeMCPServers'], { kind: 'off' }],
  [['allowMCPServers'], { kind: 'only' }],
  [['admin', 'mcp', 'enabled'], { kind: 'none' }],
  [['tools', 'exclude'], { kind: 'denied', names: geminiNames }],
  [['excludeTools'], { kind: 'denied', names: geminiNames }],
  // Claude Code
  [['disabledMcpServers'], { kind: 'off' }],
  [['permissions', 'deny'], { kind: 'denied', names: prefixed((name) => `mcp__${name}__`) }],
  // opencode
  [['tools'], { kind: 'tools', names: prefixed((name) => `${name}_`) }],
  [['permission'], { kind: 'tools', names: prefixed((name) => `${name}_`) }],
  // VS Code
  [['chat.mcp.enabled'], { kind: 'none' }],
  [['chat.mcp.access'], { kind: 'none' }],
  // Zed
  [['agent', 'tool_permissions', 'tools'], { kind: 'tools', names: (server) => [`mcp:${server}:`] }],
];

function geminiNames(server: string): readonly string[] {
  return [
    '',
    ...prefixed(
      (name) => `mcp_${name}_`,
      (name) => `mcp__${name}__`,
      (name) => `${name}__`,
    )(server),
  ];
}

/**
 * Finds the settings that switch off servers or tools. A value that is not understood, where nothing but what is forbidden can be,
 * switches off every server.
 *
 * @param levels The whole file, and the object that has the servers if it is deeper.
 */
export function readFileWords(levels: readonly Node[]): readonly FileWord[] {
  const found = levels.flatMap((level) =>
    RULES.flatMap(([keys, rule]) => valuesAt(level, keys).map((value) => ({ keys, rule, value }))),
  );
  const size = found.reduce((sum, { value }) => sum + sizeOf(value), 0);
  if (size > MAX_SIZE) {
    const keys = [...new Set(found.map((each) => each.keys.join('.')))].join(', ');
    return [{ path: keys, restrictionsOf: () => ({ disabled: true }) }];
  }
  return found.flatMap(({ keys, rule, value }): readonly FileWord[] => {
    const restrictionsOf = value === null ? undefined : reader(rule, value);
    return restrictionsOf === undefined ? [] : [{ path: keys.join('.'), restrictionsOf }];
  });
}

/** Longer settings are a mistake or an attack, in characters of JSON: each name in them is compared with each server. */
const MAX_SIZE = 20_000;

/** More patterns of this kind are not compared. */
const MAX_INNER = 20;

/** Returns true if `*` is elsewhere than at the end, so that it can match a prefix in several ways. */
function hasInnerStar(pattern: string): boolean {
  const at = pattern.indexOf('*');
  return at !== -1 && at < pattern.length - 1;
}

function sizeOf(value: JsonValue): number {
  return JSON.stringify(value).length;
}

/** Returns what all of these settings forbid a server, and those that forbid something. */
export function restrictionsBy<Word extends FileWord>(
  words: readonly Word[],
  server: string,
): { readonly restrictions: Restrictions; readonly by: readonly Word[] } {
  const by: Word[] = [];
  let restrictions: Restrictions = {};
  for (const word of words) {
    const own = word.restrictionsOf(server);
    if (Object.keys(own).length === 0) continue;
    by.push(word);
    restrictions = restrictBy(restrictions, own);
  }
  return { restrictions, by };
}

/** The values at some keys, of which there are several if a key is repeated or written in two spellings. */
function valuesAt(level: Node, keys: readonly string[]): readonly JsonValue[] {
  let nodes: readonly Node[] = [level];
  for (const wanted of keys.map(foldWord)) {
    nodes = nodes.flatMap((node) =>
      membersOf(node).flatMap(({ key, valueNode }) => (foldWord(key) === wanted ? [valueNode] : [])),
    );
  }
  return nodes.map((node) => readJsonValue(node).value);
}

function reader(rule: Rule, value: JsonValue): FileWord['restrictionsOf'] | undefined {
  if (rule.kind === 'none')
    return value === false || value === 'none' ? () => ({ disabled: true }) : undefined;
  if (rule.kind === 'denied' || rule.kind === 'tools') {
    const denied = rule.kind === 'denied' ? listedNames(value) : decidedNames(value);
    if (denied === undefined) return () => ({ disabled: true });
    const patterns = [...new Set(denied.map((name) => name.replaceAll(/\*+/g, '*')))];
    if (patterns.filter(hasInnerStar).length > MAX_INNER) return () => ({ disabled: true });
    if (patterns.length === 0) return undefined;
    return (server) => {
      const prefixes = rule.names(server);
      const deniedTools = patterns.flatMap((pattern) => toolsOf(pattern, prefixes));
      return deniedTools.length === 0 ? {} : { deniedTools: [...new Set(deniedTools)] };
    };
  }
  const names = typeof value === 'string' ? [value] : toolNames(value);
  if (names === undefined || !(typeof value === 'string' || Array.isArray(value)))
    return () => ({ disabled: true });
  const listed = (server: string): boolean =>
    names.some((name) => spellings(name).some((each) => spellings(server).includes(each)));
  return (server) => (listed(server) === (rule.kind === 'off') ? { disabled: true } : {});
}

/** Names and patterns of a list, or the only one. Undefined if the value is something else. */
function listedNames(value: JsonValue): readonly string[] | undefined {
  if (isRecord(value)) return decidedNames(value);
  return toolNames(typeof value === 'string' ? [value] : value);
}

/** Names and patterns that a map denies with `false`, `"deny"`, or a `default` that is `"deny"`; all, if the value is `"deny"`. */
function decidedNames(value: JsonValue): readonly string[] {
  if (value === 'deny') return ['*'];
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => toolNames([each]) ?? []);
  if (!isRecord(value)) return [];
  const byDefault = Object.entries(value).flatMap(([name, member]) =>
    isRecord(member) && [member['default'], member['default_mode'], member['*']].includes('deny')
      ? [name]
      : [],
  );
  return [...(toolNames(value) ?? []), ...byDefault];
}

/** Returns what a pattern denies of a server whose tools have one of these prefixes. */
function toolsOf(pattern: string, prefixes: readonly string[]): readonly string[] {
  return prefixes.flatMap((prefix) => {
    // `mcp__docs` stands for all tools of that server.
    if (prefix !== '' && pattern !== '' && prefix === `${pattern}__`) return ['*'];
    return afterPrefix(pattern, prefix);
  });
}

/** Returns what is left of a pattern with `*` after it has matched a prefix, in every way in which it can. */
function afterPrefix(pattern: string, prefix: string): readonly string[] {
  if (!hasInnerStar(pattern)) {
    const head = pattern.replace(/\*$/, '').toLowerCase();
    const start = prefix.toLowerCase();
    if (head.startsWith(start)) return pattern.length > prefix.length ? [pattern.slice(prefix.length)] : [];
    return head.length < pattern.length && start.startsWith(head) ? ['*'] : [];
  }
  let positions = new Set([0]);
  for (const character of prefix) {
    const next = new Set<number>();
    for (const position of positions) {
      for (let at = position; ; at++) {
        if (pattern[at] === '*') next.add(at);
        else if (pattern[at]?.toLowerCase() === character.toLowerCase()) next.add(at + 1);
        if (pattern[at] !== '*') break;
      }
    }
    positions = next;
  }
  return [...positions].map((position) => pattern.slice(position)).filter((rest) => rest !== '');
}
