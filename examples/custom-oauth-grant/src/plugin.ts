import type { TokenProviderOptions } from '@mcp-fittings/auth-oauth';
import { credentialIdentity } from '@mcp-fittings/auth-oauth/toolkit';
import type { AuthPlugin } from '@mcp-fittings/client-core';
import { createOnBehalfOfProvider, type OnBehalfOfOptions } from './on-behalf-of.js';

/** Options of {@link onBehalfOf}. */
export interface OnBehalfOfPluginOptions
  extends
    Pick<OnBehalfOfOptions, 'issuer' | 'clientId' | 'clientSecret'>,
    Pick<TokenProviderOptions, 'store' | 'network'> {
  /** Returns the access token of the user whom the call names. */
  readonly subjectToken: (principal: string | undefined) => string | Promise<string>;
}

/** Creates a plugin for `createHost({ auth: [onBehalfOf({ … })] })`. It signs for servers with `authProviderType: 'on-behalf-of'`. */
export function onBehalfOf({ subjectToken, ...options }: OnBehalfOfPluginOptions): AuthPlugin {
  return {
    specVersion: 1,
    scheme: 'on-behalf-of',
    separatesPrincipals: true,
    create(entry, { clock, logger }) {
      const { name, config, principal } = entry;
      const { url } = config;
      if (config['authProviderType'] !== 'on-behalf-of' || typeof url !== 'string') return undefined;
      return createOnBehalfOfProvider({
        ...options,
        url,
        server: name,
        identity: credentialIdentity(entry),
        principal,
        clock,
        logger,
        subjectToken: () => subjectToken(principal),
      });
    },
  };
}
