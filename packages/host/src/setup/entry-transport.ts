import type { ServerConfig, Transport, TransportDeps, TransportPlugin } from '@mcp-fittings/client-core';
import { entryFrom } from './check-entry.js';
import { choosePlugin } from './choose-plugin.js';

export interface EntryTransportOptions extends TransportDeps {
  /** Which types of transport the entry may ask for. */
  readonly transports: readonly TransportPlugin[];
}

/** The transport of an entry, not started yet, and what to try where the endpoint is of an older kind. */
export interface EntryTransport {
  /** Type of the plugin that made it. */
  readonly type: string;
  readonly transport: Transport;
  readonly fallback: (() => Promise<Transport>) | undefined;
}

/**
 * Makes the transport that a host would use for this entry. Rejects with `CONFIG_INVALID` for an entry that can't work,
 * and with `TRANSPORT_UNKNOWN` where no plugin serves its type.
 */
export async function createEntryTransport(config: ServerConfig, options: EntryTransportOptions): Promise<EntryTransport> {
  const { transports, ...context } = options;
  const plugin = choosePlugin(context.server, config, transports);
  const { fallback } = plugin;
  return {
    type: plugin.type,
    transport: await make(plugin, config, context),
    fallback: fallback && (() => make(fallback, config, context)),
  };
}

async function make(
  plugin: TransportPlugin,
  config: ServerConfig,
  context: TransportDeps,
): Promise<Transport> {
  return plugin.create(entryFrom(context.server, await plugin.schema['~standard'].validate(config)), context);
}
