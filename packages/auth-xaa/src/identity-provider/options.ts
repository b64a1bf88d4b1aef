import type {
  InteractionChooser,
  OAuthProviderOptions,
  SignInInteraction,
  TokenProviderOptions,
} from '@mcp-fittings/auth-oauth';
import { FittingsError } from '@mcp-fittings/client-core';
import type { SubjectToken } from '../id-jag/token-exchange.js';
import { secureUrl } from '@mcp-fittings/toolbox/connect';

/**
 * The company's identity provider, and this client's registration there. It comes from the user or an administrator, never from
 * a project.
 */
export interface IdentityProviderConfig {
  /** Issuer identifier, exactly as in its metadata: an https URL, or http on this machine. */
  readonly issuer: string;
  /** Id of this client at the identity provider. */
  readonly clientId: string;
  /** Secret of this client. Default: none, for a public client. */
  readonly clientSecret?: string | undefined;
  /** Private key that authenticates this client (`private_key_jwt`); preferred to a secret. Default: none. */
  readonly clientKey?: OAuthProviderOptions['clientKey'];
  /** Method of sending the secret. Default: Basic when the metadata allow it, otherwise in the body. */
  readonly clientAuthMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /** Port of the redirect URI that is registered at the identity provider. Default: a free port. */
  readonly callbackPort?: number | undefined;
  /** Scopes of the sign-in; they must include `openid`. Default `openid` and `offline_access`. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Chooses which token of the sign-in is exchanged. With `id_token` the refresh token is used to renew the ID token, and is exchanged
   * itself when the identity provider does not renew it. Default `id_token`.
   */
  readonly subject?: 'id_token' | 'refresh_token' | undefined;
  /** Accepts metadata that do not announce PKCE with S256. Default false. */
  readonly allowMissingPkceSupport?: boolean | undefined;
}

/** Returns the scopes that a sign-in requests. */
export function signInScopes({
  scopes = ['openid', 'offline_access'],
}: IdentityProviderConfig): readonly string[] {
  return scopes;
}

/** Options of {@link createIdentityProvider}. */
export interface IdentityProviderOptions
  extends
    IdentityProviderConfig,
    Pick<TokenProviderOptions, 'store' | 'network' | 'clock' | 'logger' | 'principal'> {
  /** Signs the user in. Without it `signIn` rejects with `AUTH_FAILED`. */
  readonly interaction?: SignInInteraction | InteractionChooser | undefined;
  /**
   * For hosts that sign users in themselves: returns the token that identifies the user of this call, or undefined when there is
   * none. Called for every request, so that no user receives the tokens of another one; it should be quick. Its user takes
   * precedence over a sign-in of this package. An ID token is used as it is; a SAML assertion is exchanged once for a refresh
   * token. An error that it throws is `CALLBACK_FAILED`. Default: none.
   */
  readonly subjectToken?: (() => SubjectToken | undefined | Promise<SubjectToken | undefined>) | undefined;
}

/** Throws `CONFIG_INVALID` unless there is a client id and an https issuer, or an http one on this machine. */
export function checkIdentityProviderConfig({ issuer, clientId }: IdentityProviderConfig): void {
  const url = secureUrl(issuer);
  if (url?.search === '' && url.hash === '' && clientId !== '') return;
  throw new FittingsError(
    'CONFIG_INVALID',
    'The identity provider must have an https issuer without credentials, query or fragment, and a client id.',
    { hint: 'Use the issuer and the client id that the administrator of the identity provider gives you.' },
  );
}
