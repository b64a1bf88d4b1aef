import { FittingsError } from '@mcp-fittings/client-core';
import {
  addressGroups,
  bareHost,
  ipFamily,
  ipv4Of,
  isLoopbackHost,
  parseAddressRanges,
  secureUrl,
} from '@mcp-fittings/toolbox/connect';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { AuthorizationServer } from 'oauth4webapi';
import { textOf, textsOf } from '../protocol/values.js';

/** Decides where a browser and credentials may be sent to, because the MCP server is a stranger that names the addresses. */
export interface MetadataPolicy {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** URL of the MCP server, which names the authorization server. */
  readonly serverUrl: URL;
  /** Origins that may receive credentials although the sign-in page is on another origin. Default: none. */
  readonly allowedEndpointOrigins?: readonly string[] | undefined;
  /** Hosts and address ranges that the server may send a browser to, besides public ones. Default: none. */
  readonly allowAddresses?: readonly string[] | undefined;
}

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

/**
 * Picks the members that are used, if they have the right type. Throws `AUTH_DISCOVERY_FAILED` for an unacceptable
 * endpoint.
 */
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

/** Returns the metadata if a browser and credentials may be sent to its endpoints. Throws `AUTH_DISCOVERY_FAILED`. */
export function checkMetadata(as: AuthorizationServer, policy: MetadataPolicy): AuthorizationServer {
  const page = as.authorization_endpoint;
  if (page !== undefined) checkBrowserTarget('authorization_endpoint', page, policy);
  return checkEndpointOrigins(as, policy);
}

/**
 * Returns the normalized URL of an endpoint that a server named: https, or http with a loopback host, without credentials.
 * Throws `AUTH_DISCOVERY_FAILED` for anything else, which could reach a shell, a file or an eavesdropper.
 */
export function checkEndpoint(name: string, value: string): string {
  const url = secureUrl(value);
  if (url !== undefined) return url.href;
  const shown = sanitizeText(value, { maxLength: 200 });
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The ${name} "${shown}" of the authorization server is not an https URL.`,
    {
      hint: 'Only https URLs without credentials are accepted, and http URLs with a loopback host.',
      details: { reason: 'endpoint' },
    },
  );
}

/**
 * Prevents a server from sending the person's browser to addresses that the server cannot reach itself: loopback, private and
 * link-local ones. A server on this machine may name all of them, a server in a private network that kind of address, and
 * every server its own host. Throws `AUTH_DISCOVERY_FAILED`.
 */
export function checkBrowserTarget(
  name: string,
  page: string,
  { serverUrl, allowAddresses = [] }: Pick<MetadataPolicy, 'serverUrl' | 'allowAddresses'>,
): void {
  const host = bareHost(new URL(page).hostname);
  const server = bareHost(serverUrl.hostname);
  const scope = addressScope(host);
  if (scope === 'public' || host === server || isAllowed(host, allowAddresses)) return;
  const own = addressScope(server);
  if (own === 'loopback' || own === scope) return;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The ${name} of the authorization server is on ${host}: a remote server cannot send the browser to a local address.`,
    {
      hint: 'If you trust the server, add the host to "allowAddresses" in its entry.',
      details: { reason: 'endpoint' },
    },
  );
}

type AddressScope = 'loopback' | 'link-local' | 'private' | 'public';

function addressScope(host: string): AddressScope {
  const address = embedded(host);
  if (isLoopbackHost(address) || isIn(address, THIS_MACHINE)) return 'loopback';
  if (isIn(address, LINK_LOCAL)) return 'link-local';
  return isIn(address, PRIVATE) || /\.(?:local|internal|home\.arpa)$/.test(host) ? 'private' : 'public';
}

/** Returns the IPv4 address in a NAT64 or 6to4 address. */
function embedded(host: string): string {
  const groups = ipFamily(host) === 6 ? (addressGroups(host) ?? []) : [];
  const isNat64 = groups[0] === 0x64 && groups[1] === 0xff9b;
  const at = isNat64 ? 6 : groups[0] === 0x2002 ? 1 : undefined;
  return at === undefined ? host : ipv4Of(groups[at] ?? 0, groups[at + 1] ?? 0);
}

const THIS_MACHINE = ['0.0.0.0/8', '127.0.0.0/8', '::/128', '::1/128'];
const LINK_LOCAL = ['169.254.0.0/16', 'fe80::/10'];
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'];

function isIn(address: string, ranges: readonly string[]): boolean {
  return parseAddressRanges(ranges).has(address);
}

/** The network has checked the syntax of these hosts, addresses and ranges. */
function isAllowed(host: string, allowed: readonly string[]): boolean {
  const names = allowed.map(bareHost);
  return (
    names.includes(host) ||
    isIn(
      host,
      names.filter((each) => ipFamily(each.split('/')[0] ?? '') !== 0),
    )
  );
}

/** Endpoints that receive a code, a token, client credentials, or a request that leads to them. */
const RECEIVERS = [
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
] as const;

/**
 * Checks the metadata against mix-up attacks, in which a sign-in on one page ends at the endpoint of another server. Unless
 * the server names itself in authorization responses (`iss`), every endpoint that receives credentials must be on the
 * origin of its sign-in page. Responses of the device grant never carry an issuer, so that grant is removed if its
 * endpoints differ. Throws `AUTH_DISCOVERY_FAILED`.
 * @see https://www.rfc-editor.org/rfc/rfc9207.html#section-1
 */
function checkEndpointOrigins(
  as: AuthorizationServer,
  { server, allowedEndpointOrigins = [] }: MetadataPolicy,
): AuthorizationServer {
  const accepted = allowedEndpointOrigins.flatMap((each) => originOf(each) ?? []);
  const differ = (endpoint: string | undefined, other: string): boolean => {
    const origin = endpoint === undefined ? undefined : originOf(endpoint);
    return origin !== undefined && origin !== originOf(other) && !accepted.includes(origin);
  };
  const { authorization_endpoint: page, device_authorization_endpoint: device, token_endpoint: token } = as;
  if (page !== undefined && as.authorization_response_iss_parameter_supported !== true) {
    const stray = RECEIVERS.find((name) => differ(as[name], page));
    if (stray !== undefined) throw otherOrigin(server, as, stray);
  }
  if (device === undefined || token === undefined || !differ(token, device)) return as;
  const { device_authorization_endpoint: _, ...rest } = as;
  return rest;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function otherOrigin(
  server: string,
  as: AuthorizationServer,
  name: (typeof RECEIVERS)[number],
): FittingsError {
  const page = originOf(as.authorization_endpoint ?? '') ?? '';
  const other = originOf(as[name] ?? '') ?? '';
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The sign-in page of ${as.issuer} is on ${page}, but its ${name} is on ${other}, and it does not send "iss" in authorization responses (RFC 9207).`,
    {
      server,
      hint: `If both origins belong to this authorization server, add "${other}" to "oauth.allowedEndpointOrigins" in the entry of the server.`,
      details: { reason: 'endpoint' },
    },
  );
}
