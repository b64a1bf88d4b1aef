import type { ServedProvider } from './provider-server.mjs';

/** Claims of an exchanged token. */
export interface ExchangedClaims {
  readonly sub: string;
  readonly aud: string;
  readonly scope: string;
  readonly act?: { readonly sub: string; readonly act?: unknown };
}
export interface TestExchangeServer extends ServedProvider {
  /** Signs an access token of a person, with these claims replaced. */
  tokenOf(sub: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** The claims of a live token of a server; undefined for any other token. */
  read(token: string): Promise<ExchangedClaims | undefined>;
  find(
    token: string,
  ): Promise<{ readonly scope: string; readonly accountId: string; readonly jkt?: string } | undefined>;
  /** Refuses an exchange with this answer. */
  refuseWith:
    | ((
        parameters: Readonly<Record<string, string>>,
      ) => { readonly error: string; readonly error_description?: string } | undefined)
    | undefined;
  /** Servers by the name that `audience` has. */
  names: ReadonlyMap<string, string> | undefined;
}
/** Its client `gateway` has the secret `canary-gateway-secret`. */
export function startExchangeServer(options: {
  /** The audience of the tokens that it exchanges. */
  readonly audience: () => string;
  /** The resources that it issues tokens for. */
  readonly targets: () => readonly string[];
  readonly now?: () => number;
  /** Of all of its tokens, in seconds. */
  readonly lifetime?: number;
}): Promise<TestExchangeServer>;
