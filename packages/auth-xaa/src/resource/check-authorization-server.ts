import type { Discovered } from '@mcp-fittings/auth-oauth/flows';
import { FittingsError } from '@mcp-fittings/client-core';
import { unsupported } from '../failures.js';
import { ID_JAG_PROFILE } from '../jag/token-types.js';
import type { XaaSharedOptions } from '../options.js';

/**
 * Whether an assertion may be made for this authorization server. Throws `POLICY_DENIED` when it is not on the list,
 * `AUTH_DISCOVERY_FAILED` when it takes none.
 */
export function checkAuthorizationServer(
  server: string,
  { authorizationServer: as }: Discovered,
  { allowedAuthorizationServers: allowed, unannounced = 'try' }: XaaSharedOptions,
): void {
  if (allowed !== undefined && !allowed.includes(as.issuer)) {
    throw new FittingsError(
      'POLICY_DENIED',
      `"${server}" is protected by ${as.issuer}, which is not on the list of authorization servers.`,
      { server, kind: 'auth', hint: 'Ask your administrator to add it, if it is right.' },
    );
  }
  const profiles = as['authorization_grant_profiles_supported'];
  const isListed = Array.isArray(profiles) && profiles.includes(ID_JAG_PROFILE);
  if (isListed || (profiles === undefined && unannounced === 'try')) return;
  throw unsupported(
    server,
    profiles === undefined
      ? `${as.issuer} does not say that it takes the assertions of an identity provider.`
      : `${as.issuer} says that it takes no assertions of an identity provider.`,
  );
}
