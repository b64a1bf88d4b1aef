import type { ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import { withTasks, type WithTasksOptions } from './with-tasks.js';

/** Options of {@link tasks}. */
export interface TasksOptions extends Omit<WithTasksOptions, 'server' | 'owner' | 'clock'> {
  /**
   * Returns whose tasks those of a server are in the store. Include the person on whose behalf the host acts, if there are several.
   * Default: the name of the server.
   */
  readonly ownerOf?: ((server: string) => string) | undefined;
}

/**
 * Adds the Tasks extension to every transport that a plugin creates, see {@link withTasks}.
 * @example
 * const host = createHost({ engine, transports: [tasks(http()), tasks(stdio())] });
 * const result = await host.callTool({ server: 'studio', tool: 'render' }, {}, { task: { onUpdate: console.log } });
 */
export function tasks<Entry = ServerConfig>(
  plugin: TransportPlugin<Entry>,
  options: TasksOptions = {},
): TransportPlugin<Entry> {
  const { ownerOf = (server) => server, ...rest } = options;
  const { specVersion, type, aliases, schema, fallback } = plugin;
  return {
    specVersion,
    type,
    aliases,
    schema,
    create: (entry, deps) => {
      const { server, clock } = deps;
      return withTasks(plugin.create(entry, deps), { ...rest, server, owner: ownerOf(server), clock });
    },
    fallback: fallback && tasks(fallback, options),
  };
}
