import type { ServerConfig } from '@mcp-fittings/client-core';
import { canonicalJson } from '../approval/definition-hash.js';
import { jsonCopy } from '../jsonc/json-value.js';

type Servers = Readonly<Record<string, ServerConfig>>;

/** What became of the servers from one reading to the next. */
export interface ServerChanges {
  readonly added: Servers;
  /** With their new configuration. */
  readonly changed: Servers;
  readonly removed: readonly string[];
}

export function compareServers(before: Servers, after: Servers): ServerChanges {
  const names = Object.keys(after);
  const pick = (chosen: readonly string[]): Servers =>
    Object.fromEntries(Object.entries(after).filter(([name]) => chosen.includes(name)));
  const known = names.filter((name) => Object.hasOwn(before, name));
  return {
    added: pick(names.filter((name) => !Object.hasOwn(before, name))),
    changed: pick(known.filter((name) => content(before[name]) !== content(after[name]))),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
  };
}

function content(config: ServerConfig | undefined): string {
  return canonicalJson(jsonCopy(config ?? {}));
}
