import { FittingsError, sanitizeText } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';
import { textOf, textsOf, type DocumentReader } from './documents.js';
import { checkEndpoint } from './endpoint-policy.js';

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
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
  if (!URL.canParse(issuer)) return undefined;
  const identifier = new URL(issuer);
  for (const url of wellKnown(identifier)) {
    const document = await reader.read(url, headers);
    const named = document && textOf(document, 'issuer');
    if (document === undefined || named === undefined) continue;
    checkIssuer(named, issuer, rule);
    return pick(document, named);
  }
  return undefined;
}

/** Reads the metadata at an address that a person configured. */
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
  return pick(document, issuer);
}

function wellKnown(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/+$/, '');
  const paths =
    path === ''
      ? ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
      : [
          `/.well-known/oauth-authorization-server${path}`,
          `/.well-known/openid-configuration${path}`,
          `${path}/.well-known/openid-configuration`,
        ];
  return paths.map((each) => new URL(each, issuer));
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

function pick(document: Readonly<Record<string, unknown>>, issuer: string): AuthorizationServer {
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
