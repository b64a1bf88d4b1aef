import type { CryptoKey, JWK } from 'jose';
import type { TestAuthorizationServer } from '../../../auth-oauth/test/support/authorization-server.mjs';
import type { ServedProvider } from '../../../auth-oauth/test/support/provider-server.mjs';

type Json = Record<string, unknown>;
type Parameters = Readonly<Record<string, string | undefined>>;
/** An error response, or undefined to allow the request. */
type Policy = (parameters: Parameters) => Json | undefined;

export interface TestIdentityProvider extends ServedProvider {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  clientAt: (audience: string) => string;
  policy: Policy;
  /** Changes a response before it is sent. */
  claims: (claims: Json) => Json;
  reply: (reply: Json) => Json;
  /** The only SAML assertion that it accepts. */
  saml: string;
  /** Every ID-JAG that it issued. */
  readonly assertions: string[];
}
export interface TestResourceAuthorizationServer extends TestAuthorizationServer {
  policy: Policy;
  scope: (scope: string) => string;
  /** Every ID-JAG that it received. */
  readonly assertions: string[];
}
export function startIdentityProvider(options: {
  readonly clients: readonly Json[];
}): Promise<TestIdentityProvider>;
export function startAuthorizationServer(options: {
  readonly idp: TestIdentityProvider;
  readonly clients: readonly Json[];
  readonly singleUse?: boolean;
  /** Client ID Metadata Documents, by URL. */
  readonly documents?: Readonly<Record<string, { readonly jwks?: { readonly keys: readonly JWK[] } } & Json>>;
}): Promise<TestResourceAuthorizationServer>;
