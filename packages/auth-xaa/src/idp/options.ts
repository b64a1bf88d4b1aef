import type { ClientKey, SignInSurface, SurfaceChooser } from '@mcp-fittings/auth-oauth';
import type { TokenProviderOptions } from '@mcp-fittings/auth-oauth/flows';
import { FittingsError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/remote-policy';

/** Where the people of a company sign in, and who we are there. A person or an administrator says it, never a project. */
export interface IdentityProviderSettings {
  /** Letter by letter as in its metadata. */
  readonly issuer: string;
  readonly clientId: string;
  /** Where it knows us by more than the id: a shared secret, or a private key (`private_key_jwt`, preferred). */
  readonly clientSecret?: string | undefined;
  readonly clientKey?: ClientKey | undefined;
  /** How the secret is sent. Default: Basic where its metadata allow it, else in the body. */
  readonly clientAuthMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /** Port of the redirect URI that is registered there. Default: a free one. */
  readonly callbackPort?: number | undefined;
  /** Default `openid` and `offline_access`. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * What is shown to it for an assertion. Default `id_token`; the refresh token then serves to get another one, and is
   * shown itself where none comes.
   */
  readonly subject?: 'id_token' | 'refresh_token' | undefined;
  /** Accept metadata that do not announce PKCE with S256. Default false. */
  readonly allowMissingPkceSupport?: boolean | undefined;
}

/** What proves who the person is, from a host that signs people in itself. */
export interface SubjectToken {
  readonly type: 'id_token' | 'refresh_token' | 'saml2';
  readonly token: string;
  /**
   * Who it is, in any words that stay the same for one person and differ between two. Default: the issuer and the subject of
   * an ID token, and for other types the token itself, so that another token counts as another person.
   */
  readonly person?: string | undefined;
}

export interface IdentityProviderOptions
  extends
    IdentityProviderSettings,
    Pick<TokenProviderOptions, 'store' | 'network' | 'clock' | 'logger' | 'principal'> {
  /** How a person signs in; without it `signIn` rejects with `AUTH_FAILED`. */
  readonly interaction?: SignInSurface | SurfaceChooser | undefined;
  /**
   * For hosts that sign people in themselves: what proves who the person of this call is. Called for every request, so that
   * nobody is given the tokens of another person; it should be quick. Whom it names goes before a sign-in of ours. An ID
   * token is used as it is, a SAML assertion is exchanged once for a refresh token.
   */
  readonly subjectToken?: (() => SubjectToken | undefined | Promise<SubjectToken | undefined>) | undefined;
}

/** Throws `CONFIG_INVALID`: https, or http on this machine, and a client id. */
export function checkSettings({ issuer, clientId }: IdentityProviderSettings): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (isWeb && url.username === '' && url.search === '' && url.hash === '' && clientId !== '') return;
  throw new FittingsError('CONFIG_INVALID', 'The identity provider needs an https issuer and a client id.', {
    hint: 'Write both as the administrator of the identity provider gives them.',
  });
}
