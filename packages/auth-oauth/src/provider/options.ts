import type { SignInSurface, SurfaceChooser } from '../flow/interaction.js';
import type { ClientIdentity } from '../registration/find-client.js';
import type { TokenProviderOptions } from './context.js';

export interface OAuthProviderOptions extends TokenProviderOptions, ClientIdentity {
  /** How a person signs in; without it `signIn` rejects with `AUTH_FAILED`. */
  readonly interaction?: SignInSurface | SurfaceChooser | undefined;
  /** Port of the redirect URI, where the authorization server knows a fixed one. */
  readonly callbackPort?: number | undefined;
  /**
   * The redirect URI, where the authorization server knows a fixed one: `http://localhost:8080/oauth/callback`. Its host is
   * `127.0.0.1`, `localhost` or `[::1]`; without a port, `callbackPort` or any free one is taken. Default: the surface's.
   */
  readonly redirectUri?: string | undefined;
  /** Accept a server that does not announce PKCE with S256. Default false. */
  readonly allowMissingPkceSupport?: boolean | undefined;
}
