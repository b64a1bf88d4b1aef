import {
  FittingsError,
  type ServerConfig,
  type Transport,
  type TransportDeps,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { didYouMean } from '@mcp-fittings/toolbox/text';
import { parseEntry } from './settings.js';

/** Packages of this project by the types of their transports, for the hint. */
const PACKAGES: readonly (readonly [string, RegExp])[] = [
  ['stdio', /^stdio$/],
  ['http', /^(?:streamable-?)?http$/i],
  ['sse', /^sse/],
  ['ws', /^(?:ws|websocket)/],
  ['inprocess', /^(?:sdk|inprocess)$/],
];

/** Returns the type of transport that an entry states, or that its `command` or `url` implies. */
export function typeOf(config: ServerConfig): string | undefined {
  if (config.type !== undefined) return config.type;
  if (config.transportType !== undefined) return config.transportType;
  if (typeof config['command'] === 'string') return 'stdio';
  return typeof config['url'] === 'string' ? 'http' : undefined;
}

/**
 * Returns the plugin for an entry. Throws `CONFIG_INVALID` for an entry without a type, `TRANSPORT_UNKNOWN` if no plugin
 * has it.
 */
export function choosePlugin(
  server: string,
  config: ServerConfig,
  plugins: readonly TransportPlugin[],
): TransportPlugin {
  const type = typeOf(config);
  if (typeof type !== 'string') {
    throw new FittingsError(
      'CONFIG_INVALID',
      `The entry of the server "${server}" has neither "type" nor "command" nor "url".`,
      {
        server,
      },
    );
  }
  const plugin = plugins.find(
    (candidate) => candidate.type === type || candidate.aliases?.includes(type) === true,
  );
  if (plugin !== undefined) return plugin;
  const known = PACKAGES.find(([, types]) => types.test(type))?.[0];
  const types = plugins.map((candidate) => candidate.type);
  throw new FittingsError(
    'TRANSPORT_UNKNOWN',
    `The server "${server}" requires the transport "${type}", which is not installed (installed: ${types.join(', ') || 'none'}).`,
    {
      server,
      hint:
        known === undefined
          ? didYouMean(type, types, 'Pass a TransportPlugin of this type to createHost({ transports }).')
          : `Run "npm install @mcp-fittings/transport-${known}" and pass its plugin to createHost({ transports }).`,
      details: { type },
    },
  );
}

/**
 * Creates the transport that a host would use for this entry. Rejects with `CONFIG_INVALID` for an invalid entry, and with
 * `TRANSPORT_UNKNOWN` if `transports` has none of its type.
 * @param options.transports Transports that the entry may use. The other options go to the transport.
 * @example
 * const { transport } = await createEntryTransport(
 *   { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
 *   { server: 'everything', transports: [stdio()] },
 * );
 * await client.connect(transport); // the Client of an official SDK
 */
export async function createEntryTransport(
  config: ServerConfig,
  options: TransportDeps & { readonly transports: readonly TransportPlugin[] },
): Promise<{
  /** Type of the transport, such as `stdio`. */
  readonly type: string;
  /** The transport, not started. */
  readonly transport: Transport;
  /**
   * Creates the transport to try if the endpoint turns out to be of an older kind, such as HTTP+SSE for Streamable HTTP;
   * `undefined` if the plugin has none.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
   */
  readonly fallback: (() => Promise<Transport>) | undefined;
}> {
  const { transports, ...deps } = options;
  const plugin = choosePlugin(deps.server, config, transports);
  const { fallback } = plugin;
  return {
    type: plugin.type,
    transport: await create(plugin, config, deps),
    fallback: fallback && (() => create(fallback, config, deps)),
  };
}

async function create(
  plugin: TransportPlugin,
  config: ServerConfig,
  deps: TransportDeps,
): Promise<Transport> {
  return plugin.create(parseEntry(deps.server, await plugin.schema['~standard'].validate(config)), deps);
}
