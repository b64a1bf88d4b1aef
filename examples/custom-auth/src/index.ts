export { createTicketProvider, type TicketProviderOptions } from './ticket-provider.js';
export { ticket, type TicketPluginOptions } from './plugin.js';
