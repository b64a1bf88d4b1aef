import { FittingsError } from './fittings-error.js';

/**
 * Whether a connection failed as it only fails where the endpoint speaks an older transport, so that a fallback is worth
 * trying. No credentials, no network and a broken server are not cured by an older protocol.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export function isOlderEndpoint(error: unknown): error is FittingsError {
  return error instanceof FittingsError && error.code === 'ENDPOINT_INCOMPATIBLE';
}
