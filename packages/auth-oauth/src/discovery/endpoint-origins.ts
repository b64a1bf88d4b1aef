import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';

/** Endpoints that get a code, a token, a client's credentials, or a request that leads to them. */
const RECEIVERS = [
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
] as const;

/**
 * The metadata, once it is known that what a person does on one page cannot end at somebody else's endpoint (mix-up): where
 * the answers of the sign-in page do not name their issuer, every endpoint that receives credentials is on the origin of
 * that page. An answer of the device grant never names one, so that grant is left out where its endpoints differ. Throws
 * `AUTH_DISCOVERY_FAILED`.
 * @see https://www.rfc-editor.org/rfc/rfc9207.html#section-1
 */
export function withoutMixUp(
  as: AuthorizationServer,
  server: string,
  allowed: readonly string[] = [],
): AuthorizationServer {
  const accepted = allowed.flatMap((each) => originOf(each) ?? []);
  const differ = (endpoint: string | undefined, other: string): boolean => {
    const origin = endpoint === undefined ? undefined : originOf(endpoint);
    return origin !== undefined && origin !== originOf(other) && !accepted.includes(origin);
  };
  const { authorization_endpoint: page, device_authorization_endpoint: device, token_endpoint: token } = as;
  if (page !== undefined && as.authorization_response_iss_parameter_supported !== true) {
    const stray = RECEIVERS.find((name) => differ(as[name], page));
    if (stray !== undefined) throw mixedUp(server, as, stray);
  }
  if (device === undefined || token === undefined || !differ(token, device)) return as;
  const { device_authorization_endpoint: _, ...rest } = as;
  return rest;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function mixedUp(server: string, as: AuthorizationServer, name: (typeof RECEIVERS)[number]): FittingsError {
  const page = originOf(as.authorization_endpoint ?? '') ?? '';
  const other = originOf(as[name] ?? '') ?? '';
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `${as.issuer} sends people to ${page} and credentials to ${other} (${name}), and does not promise to name itself in its answers.`,
    {
      server,
      hint: `If both belong to one authorization server, add "${other}" to "allowedEndpointOrigins".`,
      details: { reason: 'endpoint' },
    },
  );
}
