import {
  type AuthProvider,
  AuthRequiredError,
  type Clock,
  type Logger,
  type ServerConfig,
  type Transport,
  type TransportPlugin,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';
import { openEntry } from '@mcp-fittings/host';
import { createFallbackTransport } from '@mcp-fittings/transport-http';
import { isNoSignIn, withServerName, refusedHeader } from '../session/sign-in-errors.js';
import type { SignInOnce } from './sign-in.js';
import { CommandError } from '../output/hints.js';

/** The server's end of a bridge, started. */
export interface Upstream {
  readonly transport: Transport;
  /** As the transport's own, and signs in where that is needed and permitted. */
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
}

/** Makes a new connection to the server. Rejects with a `FittingsError` when there is none. */
export type OpenUpstream = () => Promise<Upstream>;

export interface OpenUpstreamOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly transports: readonly TransportPlugin[];
  readonly auth: AuthProvider | undefined;
  /** Undefined: nobody is asked, and the client is told to sign in. */
  readonly signIn: SignInOnce | undefined;
  /** The command that signs in, to be copied. */
  readonly loginCommand: string;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly signal: AbortSignal;
}

/** Connections to one configured server, over the transport that a host would use. */
export function createOpenUpstream(options: OpenUpstreamOptions): OpenUpstream {
  const { config, signIn, server, transports, auth, clock, logger, signal } = options;

  const start = async (): Promise<Transport> => {
    const context = { server, transports, auth, clock, logger, signal };
    const { transport, fallback } = await openEntry(config, context);
    const usable = fallback === undefined ? transport : await withFallback(transport, fallback);
    usable.onerror = (error) => logger?.debug(error.message, { server });
    await usable.start();
    return usable;
  };
  const helped = async (ask: SignInOnce, error: AuthRequiredError): Promise<void> => {
    try {
      await ask(error.challenge);
    } catch (failure) {
      throw (
        (isNoSignIn(failure) ? refusedHeader(server, config, error) : undefined) ??
        withServerName(failure, server)
      );
    }
  };
  /** Once more when somebody signed in meanwhile; a transport is used once, so it is a new one. */
  const startSigned = async (): Promise<Transport> => {
    try {
      return await start();
    } catch (error) {
      if (signIn === undefined || !(error instanceof AuthRequiredError)) throw withCommand(error, options);
      await helped(signIn, error);
      return start();
    }
  };

  return async (): Promise<Upstream> => {
    const transport = await startSigned();
    return {
      transport,
      async send(message, sendOptions) {
        try {
          await transport.send(message, sendOptions);
        } catch (error) {
          if (signIn === undefined || !(error instanceof AuthRequiredError))
            throw withCommand(error, options);
          await helped(signIn, error);
          await transport.send(message, sendOptions);
        }
      },
    };
  };
}

/** The other way is only made when it is needed. */
async function withFallback(first: Transport, fallback: () => Promise<Transport>): Promise<Transport> {
  const older = await fallback();
  return createFallbackTransport({ first, fallback: () => older });
}

/** Whoever reads this has a terminal, and no `host.signIn()`. */
function withCommand(error: unknown, { server, config, loginCommand }: OpenUpstreamOptions): unknown {
  if (!(error instanceof AuthRequiredError)) return error;
  const refused = refusedHeader(server, config, error);
  if (refused !== undefined) return refused;
  return new CommandError('AUTH_REQUIRED', error.message, {
    server,
    cause: error,
    hint: `Sign in from a terminal: ${loginCommand}`,
  });
}
