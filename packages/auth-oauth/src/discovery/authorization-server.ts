import { FittingsError, sanitizeText } from '@mcp-fittings/client-core/auth';
import type { AuthorizationServer } from 'oauth4webapi';
import { textOf, textsOf, type DocumentReader } from './documents.js';
import { checkEndpoint } from './endpoint-policy.js';
import { issuerUrl, mayDescribe, metadataPlaces } from './issuer-url.js';

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
  'jwks_uri',
] as const;

const LISTS = [
  'scopes_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
  'id_token_signing_alg_values_supported',
  'authorization_grant_profiles_supported',
  'identity_chaining_requested_token_types_supported',
] as const;

const FLAGS = [
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'require_pushed_authorization_requests',
] as const;

/** How the issuer in the metadata has to compare with the one that was asked for. */
export type IssuerRule = 'identical' | 'same-origin';

/**
 * Finds the metadata of an authorization server, at every place that the specifications know. Only members that are used,
 * of the right type, are taken over. Undefined when there is none; throws `AUTH_DISCOVERY_FAILED` when it is not
 * acceptable.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
 */
export async function findAuthorizationServer(
  reader: DocumentReader,
  issuer: string,
  rule: IssuerRule,
  headers: Readonly<Record<string, string>> = {},
): Promise<AuthorizationServer | undefined> {
  const identifier = issuerUrl(issuer);
  if (identifier === undefined) return undefined;
  for (const url of metadataPlaces(identifier)) {
    const document = await reader.read(url, headers);
    const named = document && textOf(document, 'issuer');
    if (document === undefined || named === undefined) continue;
    checkIssuer(named, issuer, rule);
    return pickMetadata(document, named);
  }
  return undefined;
}

/**
 * Reads the metadata at an address that was configured. Throws `AUTH_DISCOVERY_FAILED` when there is none, or when it
 * claims an issuer whose metadata cannot be there: what belongs to that issuer must not be shown to this one.
 */
export async function readAuthorizationServer(
  reader: DocumentReader,
  url: URL,
): Promise<AuthorizationServer> {
  const document = await reader.read(url);
  const issuer = document && textOf(document, 'issuer');
  if (document === undefined || issuer === undefined) {
    throw (
      reader.trouble ??
      new FittingsError(
        'AUTH_DISCOVERY_FAILED',
        `There is no authorization server metadata at ${url.href}.`,
        {
          hint: 'Check "authServerMetadataUrl" in the configuration of the server.',
          details: { reason: 'missing' },
        },
      )
    );
  }
  const identifier = issuerUrl(issuer);
  if (identifier !== undefined && mayDescribe(url, identifier)) return pickMetadata(document, issuer);
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The metadata at ${url.href} claims to be that of "${sanitizeText(issuer, { maxLength: 200 })}".`,
    {
      hint: 'Set "authServerMetadataUrl" to an address on the origin of the issuer, at its own well-known path.',
      details: { reason: 'issuer' },
    },
  );
}

function checkIssuer(named: string, asked: string, rule: IssuerRule): void {
  const acceptable =
    rule === 'identical'
      ? named === asked
      : URL.canParse(named) && new URL(named).origin === new URL(asked).origin;
  if (acceptable) return;
  const shown = sanitizeText(named, { maxLength: 200 });
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The authorization server calls itself "${shown}" instead of "${asked}".`,
    {
      hint: 'Its metadata has to repeat the issuer letter by letter (RFC 8414, section 3.3).',
      details: { reason: 'issuer' },
    },
  );
}

/** The members that are used, of the right type. Throws `AUTH_DISCOVERY_FAILED` for an endpoint that is not acceptable. */
export function pickMetadata(
  document: Readonly<Record<string, unknown>>,
  issuer: string,
): AuthorizationServer {
  const texts = ENDPOINTS.flatMap((name) => {
    const value = textOf(document, name);
    return value === undefined ? [] : [[name, checkEndpoint(name, value)]];
  });
  const lists = LISTS.flatMap((name) => {
    const value = textsOf(document, name);
    return value === undefined ? [] : [[name, value]];
  });
  const flags = FLAGS.flatMap((name) => (document[name] === true ? [[name, true]] : []));
  return { issuer, ...Object.fromEntries([...texts, ...lists, ...flags]) };
}
