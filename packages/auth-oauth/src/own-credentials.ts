import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';

/** The entry says itself what is sent to its server, so there is nothing to sign in for. */
export function hasOwnCredentials(config: ServerConfig): boolean {
  const { headers } = config;
  if (config['apiKey'] !== undefined) return true;
  return isRecord(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
