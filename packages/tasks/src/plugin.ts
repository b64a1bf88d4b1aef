import type { ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import { taskOwner } from './task-store.js';
import { withTasks, type WithTasksOptions } from './with-tasks.js';

/** Options of {@link tasks}. */
export interface TasksOptions extends Omit<WithTasksOptions, 'server' | 'owner' | 'clock'> {
  /**
   * Returns whose tasks those of a connection are in the store. Two principals must never have the same owner.
   * Default: {@link taskOwner}.
   */
  readonly ownerOf?: ((server: string, principal: string | undefined) => string) | undefined;
}

/**
 * Adds the Tasks extension to every transport that a plugin creates, see {@link withTasks}.
 * @example
 * const host = createHost({ name, version, transports: [tasks(http()), tasks(stdio())] });
 * const result = await host.callTool({ server: 'studio', tool: 'render' }, {}, { task: { onUpdate: console.log } });
 */
export function tasks<Entry = ServerConfig>(
  plugin: TransportPlugin<Entry>,
  options: TasksOptions = {},
): TransportPlugin<Entry> {
  const { ownerOf = taskOwner, ...rest } = options;
  const { specVersion, type, aliases, schema, fallback } = plugin;
  return {
    specVersion,
    type,
    aliases,
    schema,
    create: (entry, deps) => {
      const { server, principal, clock } = deps;
      const owner = ownerOf(server, principal);
      return withTasks(plugin.create(entry, deps), { ...rest, server, owner, clock });
    },
    fallback: fallback && tasks(fallback, options),
  };
}
