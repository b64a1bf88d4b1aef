import { FittingsError } from '@mcp-fittings/client-core';
import { secureUrl } from '@mcp-fittings/toolbox/connect';

/**
 * Passes sign-ins of `oauth()` to the pages of the gateway. It is an `Interaction` of `@mcp-fittings/auth-oauth`; the gateway does not
 * depend on that package, so another sign-in scheme may use it too.
 */
export interface GatewayInteraction {
  /** Sent to authorization servers as `redirect_uri`. Clients that are registered by hand must have it. */
  readonly redirectUri: string;
  /** Public URL of the gateway, without a slash at the end. */
  readonly publicUrl: string;
  /** Called for each sign-in. Rejects with `AUTH_FAILED` if no caller of the gateway has opened a page for it. */
  begin(options: {
    /** Name of the server in the host. */
    readonly server: string;
    /** The human who signs in. */
    readonly principal?: string | undefined;
    /** Ends the sign-in. */
    readonly signal?: AbortSignal | undefined;
  }): Promise<
    AsyncDisposable & {
      /** Address to which the authorization server sends the browser back: `/oauth/callback` of the gateway. */
      readonly redirectUri: string;
      /** Sends the browser to `url`; resolves with the parameters of the redirect with this `state`. */
      authorize(request: { readonly url: URL; readonly state: string }): Promise<URLSearchParams>;
    }
  >;
  /** Connects it to the pages; `createUpstreamSignIn()` does. Throws `CONFIG_INVALID` if it is connected. */
  connect(browsers: {
    /** Returns whether one waits for this sign-in. */
    waits(sought: { readonly server: string; readonly principal?: string | undefined }): boolean;
    /** Sends it to `url`; resolves with the parameters of the redirect with this `state`. Rejects if `signal` is aborted. */
    send(request: {
      readonly server: string;
      readonly principal?: string | undefined;
      readonly signal?: AbortSignal | undefined;
      readonly url: URL;
      readonly state: string;
    }): Promise<URLSearchParams>;
  }): void;
}

/** Browsers at the pages of the gateway. */
export type WaitingBrowsers = Parameters<GatewayInteraction['connect']>[0];

/**
 * Creates the interaction of a gateway. Pass it to `oauth()` when you create the host, and to `createUpstreamSignIn()` afterward.
 * Throws `CONFIG_INVALID` unless `publicUrl` is an https URL without query; http is allowed on the loopback interface.
 * @param options.publicUrl - URL at which browsers reach the gateway, without `/mcp`: `https://gateway.example`
 * @example
 * ```ts
 * const interaction = gatewayInteraction({ publicUrl: 'https://gateway.example' });
 * const host = createHost({ name, version, transports: [http()], auth: [oauth({ clientName: 'Gateway', store, interaction })] });
 * const signIn = createUpstreamSignIn({ host, interaction, browser });
 * ```
 */
export function gatewayInteraction({ publicUrl }: { readonly publicUrl: string }): GatewayInteraction {
  const base = checkedPublicUrl(publicUrl);
  const redirectUri = `${base}/oauth/callback`;
  let browsers: WaitingBrowsers | undefined;
  return {
    redirectUri,
    publicUrl: base,
    async begin(sought) {
      const connected = browsers;
      if (connected?.waits(sought) !== true) throw notWaiting(sought.server);
      return {
        redirectUri,
        authorize: (request) => connected.send({ ...sought, ...request }),
        async [Symbol.asyncDispose]() {},
      };
    },
    connect(connected) {
      if (browsers !== undefined) {
        throw new FittingsError('CONFIG_INVALID', 'The interaction belongs to other pages of a gateway.', {
          hint: 'Create one gatewayInteraction() for each createUpstreamSignIn().',
        });
      }
      browsers = connected;
    },
  };
}

function notWaiting(server: string): FittingsError {
  return new FittingsError(
    'AUTH_FAILED',
    `Cannot sign in to "${server}": no caller of the gateway has opened a sign-in page for it.`,
    { server, hint: 'Connect to the gateway as the person who signs in, and use the server.' },
  );
}

function checkedPublicUrl(publicUrl: string): string {
  const url = secureUrl(publicUrl);
  if (url === undefined || /[?#@]/.test(publicUrl)) {
    throw new FittingsError('CONFIG_INVALID', '"publicUrl" must be an https URL without query.', {
      hint: 'Write it as browsers reach the gateway: https://gateway.example. http is allowed on the loopback interface only.',
    });
  }
  return url.href.replace(/\/$/, '');
}
