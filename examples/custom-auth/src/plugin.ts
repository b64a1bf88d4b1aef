import type { AuthPlugin } from '@mcp-fittings/client-core';
import { entrySchema, oneOf, readEntry, required, text } from '@mcp-fittings/toolbox/entries';
import { createTicketProvider } from './ticket-provider.js';

/** Options of {@link ticket}. */
export interface TicketPluginOptions {
  /** Returns a new ticket for the server with this name. */
  readonly issue: (server: string) => Promise<string>;
}

const ENTRY = entrySchema({
  url: required(text({ minLength: 1 })),
  authProviderType: required(oneOf('ticket')),
});

/** Creates a plugin for `createHost({ auth: [ticket({ issue })] })`. It signs for servers with `authProviderType: 'ticket'`. */
export function ticket({ issue }: TicketPluginOptions): AuthPlugin {
  return {
    specVersion: 1,
    scheme: 'ticket',
    create({ name, config }) {
      if (config['authProviderType'] !== 'ticket') return undefined;
      const { url } = readEntry(ENTRY, config, { server: name });
      return createTicketProvider({ url, server: name, issue: () => issue(name) });
    },
  };
}
