import {
  entrySchema,
  oneOf,
  readEntry,
  required,
  text,
  type AuthPlugin,
} from '@mcp-fittings/client-core/auth';
import { createTicketProvider } from './ticket-provider.js';

export interface TicketPluginOptions {
  /** Gets a new ticket for the server of this name. */
  readonly issue: (server: string) => Promise<string>;
}

const ENTRY = entrySchema({
  url: required(text({ minLength: 1 })),
  authProviderType: required(oneOf('ticket')),
});

/** For `createHost({ auth: [ticket({ issue })] })`: signs for the servers whose entry has `authProviderType: 'ticket'`. */
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
