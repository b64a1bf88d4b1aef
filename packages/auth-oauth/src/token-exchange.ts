/**
 * Exchanges the token of the user who called a program for tokens of MCP servers (RFC 8693).
 *
 * @packageDocumentation
 */
export { tokenExchange, type TokenExchangePluginOptions } from './non-interactive/token-exchange-plugin.js';
export { createTokenExchangeProvider, type TokenExchangeOptions } from './non-interactive/token-exchange.js';
export type { TypedToken } from './tokens/token-exchange.js';
