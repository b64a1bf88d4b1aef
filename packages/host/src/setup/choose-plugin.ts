import { FittingsError, type ServerConfig, type TransportPlugin } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';

/** Packages of ours, so that a missing one can be named. */
const PACKAGE_OF_TYPE: Readonly<Record<string, string>> = {
  stdio: '@mcp-fittings/transport-stdio',
  http: '@mcp-fittings/transport-http',
  'streamable-http': '@mcp-fittings/transport-http',
  streamableHttp: '@mcp-fittings/transport-http',
  sse: '@mcp-fittings/transport-sse',
  'sse-ide': '@mcp-fittings/transport-sse',
  ws: '@mcp-fittings/transport-ws',
  websocket: '@mcp-fittings/transport-ws',
  'ws-ide': '@mcp-fittings/transport-ws',
  sdk: '@mcp-fittings/transport-inprocess',
  inprocess: '@mcp-fittings/transport-inprocess',
};

/** The type of transport that an entry asks for: said, or implied by `command` or `url`. */
export function typeOf(config: ServerConfig): string | undefined {
  if (config.type !== undefined) return config.type;
  if (config.transportType !== undefined) return config.transportType;
  if (typeof config['command'] === 'string') return 'stdio';
  return typeof config['url'] === 'string' ? 'http' : undefined;
}

/** Throws `CONFIG_INVALID` for an entry of no type, `TRANSPORT_UNKNOWN` where no plugin serves it. */
export function choosePlugin(
  server: string,
  config: ServerConfig,
  plugins: readonly TransportPlugin[],
): TransportPlugin {
  const type = typeOf(config);
  if (typeof type !== 'string') {
    throw new FittingsError(
      'CONFIG_INVALID',
      `The server "${server}" has neither "type" nor "command" nor "url".`,
      {
        server,
        hint: 'Give "command" for a local server, or "url" for a remote one.',
      },
    );
  }
  const plugin = plugins.find(
    (candidate) => candidate.type === type || candidate.aliases?.includes(type) === true,
  );
  if (plugin !== undefined) return plugin;
  const known = Object.hasOwn(PACKAGE_OF_TYPE, type) ? PACKAGE_OF_TYPE[type] : undefined;
  const [near] = nearestNames(
    type,
    plugins.map((candidate) => candidate.type),
  );
  const installed = plugins.map((candidate) => candidate.type).join(', ') || 'none';
  throw new FittingsError(
    'TRANSPORT_UNKNOWN',
    `The server "${server}" asks for the transport "${type}", which is not installed (installed: ${installed}).`,
    {
      server,
      hint:
        known === undefined && near !== undefined
          ? `Did you mean "${near}"?`
          : known === undefined
            ? 'Pass a TransportPlugin of this type to createHost({ transports }).'
            : `Run "npm install ${known}" and pass its plugin to createHost({ transports }).`,
      details: { type },
    },
  );
}
