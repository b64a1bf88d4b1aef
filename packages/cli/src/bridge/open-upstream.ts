import {
  AuthRequiredError,
  type AuthProvider,
  type Clock,
  type Logger,
  type ServerConfig,
  type Transport,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { ofServer } from '../commands/of-server.js';
import { isNoSignIn, refusedHeader } from '../commands/refused-header.js';
import { createEntryTransport } from '@mcp-fittings/host';
import { createFallbackTransport } from '@mcp-fittings/transport-http';
import type { SignInOnce } from './sign-in-once.js';
import type { OpenUpstream, Upstream } from './upstream.js';

export interface UpstreamOptions {
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
export function createOpenUpstream(options: UpstreamOptions): OpenUpstream {
  const { config, signIn, server, transports, auth, clock, logger, signal } = options;

  const start = async (): Promise<Transport> => {
    const context = { server, transports, auth, clock, logger, signal };
    const { transport, fallback } = await createEntryTransport(config, context);
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
        (isNoSignIn(failure) ? refusedHeader(server, config, error) : undefined) ?? ofServer(failure, server)
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
function withCommand(error: unknown, { server, config, loginCommand }: UpstreamOptions): unknown {
  if (!(error instanceof AuthRequiredError)) return error;
  const refused = refusedHeader(server, config, error);
  if (refused !== undefined) return refused;
  return new AuthRequiredError(error.message, {
    server,
    challenge: error.challenge,
    cause: error,
    hint: `Sign in from a terminal: ${loginCommand}`,
  });
}
