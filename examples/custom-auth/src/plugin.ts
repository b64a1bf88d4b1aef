import { type AuthPlugin, FittingsError } from '@mcp-fittings/client-core';
import { createTicketProvider } from './ticket-provider.js';

/** Options of {@link ticket}. */
export interface TicketPluginOptions {
  /** Returns a new ticket for the server with this name. */
  readonly issue: (server: string) => Promise<string>;
}

/** Creates a plugin for `createHost({ auth: [ticket({ issue })] })`. It signs for servers with `authProviderType: 'ticket'`. */
export function ticket({ issue }: TicketPluginOptions): AuthPlugin {
  return {
    specVersion: 1,
    scheme: 'ticket',
    create({ name, config }) {
      if (config['authProviderType'] !== 'ticket') return undefined;
      const { url } = config;
      if (typeof url !== 'string' || !URL.canParse(url)) {
        const hint = 'Set `url` to the URL of the MCP server.';
        throw new FittingsError('CONFIG_INVALID', `The server "${name}" has no valid \`url\`.`, {
          server: name,
          hint,
        });
      }
      return createTicketProvider({ url, server: name, issue: () => issue(name) });
    },
  };
}
