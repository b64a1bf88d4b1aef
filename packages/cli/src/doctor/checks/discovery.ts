import {
  createDocumentReader,
  discover,
  findAuthorizationServer,
  type ConfiguredEndpoints,
} from '@mcp-fittings/auth-oauth/flows';
import { FittingsError, isRecord, type AuthChallenge, type ServerConfig } from '@mcp-fittings/client-core';
import { createHttpClient, type HttpClientOptions } from '@mcp-fittings/http-client';
import type { CheckResult } from '../diagnosis.js';
import { findingOfError } from '../finding-of-error.js';
import { checked, finding } from '../finding.js';

export interface DiscoveryOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly network: HttpClientOptions;
  readonly challenge: AuthChallenge | undefined;
  readonly signal: AbortSignal;
}

/** Whether the documents that sign-in depends on are there and speak of each other: resource, issuer, endpoints. */
export async function checkDiscovery(options: DiscoveryOptions): Promise<CheckResult> {
  const { server, challenge, signal } = options;
  const serverUrl = new URL(options.network.url);
  await using network = createHttpClient(options.network);
  try {
    const configured = endpointsOf(options.config);
    const found = await discover({
      network,
      server,
      serverUrl,
      challenge,
      signal,
      configured,
      allowedEndpointOrigins: textsOf(options.config.oauth, 'allowedEndpointOrigins'),
      allowAddresses: options.network.allowAddresses,
    });
    const isConfigured = configured.metadataUrl !== undefined || configured.tokenUrl !== undefined;
    if (found.withoutMetadata && !isConfigured) {
      const reader = createDocumentReader(network, server, signal);
      const atOrigin = await findAuthorizationServer(reader, serverUrl.origin, 'same-origin');
      if (atOrigin === undefined) {
        const message = `${serverUrl.origin} requires credentials, but has no metadata that says where to sign in.`;
        return checked('discovery', '', [finding('DISCOVERY_MISSING', message)]);
      }
    }
    return checked('discovery', `sign-in at ${found.authorizationServer.issuer} for ${found.resource}`);
  } catch (error) {
    if (!(error instanceof FittingsError)) throw error;
    return checked('discovery', '', [findingOfError(error).finding]);
  }
}

function textsOf(value: unknown, name: string): readonly string[] | undefined {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : undefined;
}

function endpointsOf({ oauth }: ServerConfig): ConfiguredEndpoints {
  if (!isRecord(oauth)) return {};
  const text = (name: string): string | undefined => {
    const value = oauth[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    authorizationUrl: text('authorizationUrl'),
    tokenUrl: text('tokenUrl'),
    metadataUrl: text('authServerMetadataUrl'),
  };
}
