import { createHash } from 'node:crypto';
import { createToolNames, type ModelTool, type Toolset } from '@mcp-fittings/tools';

/** Longest key of a server. With `mcp__` and `__`, it leaves 36 characters for the tool. */
const MAX_KEY = 21;
/** Longest name that model APIs accept. */
const MAX_NAME = 64;
/** The key of the tools that belong to no server, such as `read_result`. Their server is the empty string. */
const KEY_WITHOUT_SERVER = 'fittings';

/** Returns a key of `mcpServers` for each server, and for tools without one: its name, unless the SDK would change or confuse it. */
export function serverKeys(servers: readonly string[]): ReadonlyMap<string, string> {
  const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  const claims = new Map<string, number>([[KEY_WITHOUT_SERVER, 1]]);
  for (const name of servers) claims.set(plain(name), (claims.get(plain(name)) ?? 0) + 1);
  const keyOf = (name: string): string => {
    const key = plain(name);
    return claims.get(key) === 1 && key.length <= MAX_KEY ? key : withHash(key, name);
  };
  return new Map([['', KEY_WITHOUT_SERVER], ...servers.map((name) => [name, keyOf(name)] as const)]);
}

function withHash(key: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${key.slice(0, MAX_KEY - hash.length - 1)}_${hash}`;
}

/** Returns the name that the SDK gives a tool. */
export const sdkName = (key: string, ownName: string): string => `mcp__${key}__${ownName}`;

/**
 * Returns the tools of one server by the names that its instance lists. The SDK puts `mcp__key__` before each, so that the model sees
 * the name of `createTools` where that begins so, and otherwise a name of the same kind.
 */
export function toolsOfServer(toolset: Toolset, server: string, key: string): ReadonlyMap<string, ModelTool> {
  const prefix = sdkName(key, '');
  const tools = toolset.tools.filter(({ ref }) => ref.server === server);
  if (tools.every(({ name }) => name.startsWith(prefix) && name.length > prefix.length))
    return new Map(tools.map((tool) => [tool.name.slice(prefix.length), tool]));
  const names = createToolNames(
    tools.map(({ ref }) => ref),
    {
      naming: ({ tool }) => tool,
      nameLimits: { maxLength: MAX_NAME - prefix.length, allowed: /[A-Za-z0-9_-]/ },
    },
  );
  return new Map(tools.map((tool) => [names.nameOf(tool.ref) ?? tool.name, tool]));
}
