import {
  type AuthProvider,
  AuthRequiredError,
  type Clock,
  type JSONRPCMessage,
  type Logger,
  type ServerConfig,
  type Transport,
  type TransportPlugin,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { createEntryTransport } from '@mcp-fittings/host';
import { createFallbackTransport } from '@mcp-fittings/transport-http';
import { CommandError } from '../output/hints.js';
import { hasNoSignInService, withServerName, refusedHeader } from '../session/sign-in-errors.js';
import type { SignInOnce } from './sign-in.js';
import { type HeldBack, ToolGate } from './tool-gate.js';

/** A connection to the server behind the bridge. */
export interface Upstream {
  readonly transport: Transport;
  /** Calls the function with each message of the server that is meant for the clients. */
  listen(onMessage: (message: JSONRPCMessage) => void): void;
  /** Sends a message, and signs in first if that is required and permitted. */
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
}

/** Opens a new connection to the server. Rejects with a `FittingsError`. */
export type OpenUpstream = () => Promise<Upstream>;

export interface OpenUpstreamOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly transports: readonly TransportPlugin[];
  readonly auth: AuthProvider | undefined;
  /** Undefined: the user is not asked, and the client gets an error with the sign-in command. */
  readonly signIn: SignInOnce | undefined;
  /** Selects the tools that are neither listed nor called. */
  readonly heldBack: HeldBack;
  /** The command with which the user signs in. */
  readonly loginCommand: string;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly signal: AbortSignal;
}

/** Opens connections to one configured server, over the transport that a host would use. */
export function createOpenUpstream(options: OpenUpstreamOptions): OpenUpstream {
  const { config, signIn, server, transports, auth, clock, logger, signal } = options;

  const start = async (): Promise<Transport> => {
    const deps = { server, transports, auth, clock, logger, signal };
    const { transport, fallback } = await createEntryTransport(config, deps);
    const usable = fallback === undefined ? transport : await withFallback(transport, fallback);
    usable.onerror = (error) => logger?.debug(error.message, { server });
    await usable.start();
    return usable;
  };
  const signInFor = async (ask: SignInOnce, error: AuthRequiredError): Promise<void> => {
    try {
      await ask(error.challenge);
    } catch (cause) {
      throw (
        (hasNoSignInService(cause) ? refusedHeader(server, config, error) : undefined) ??
        withServerName(cause, server)
      );
    }
  };
  /** Starts again after a sign-in, with a new transport, because a transport can start only once. */
  const startWithSignIn = async (): Promise<Transport> => {
    try {
      return await start();
    } catch (error) {
      if (signIn === undefined || !(error instanceof AuthRequiredError))
        throw withLoginCommand(error, options);
      await signInFor(signIn, error);
      return start();
    }
  };

  return async (): Promise<Upstream> => {
    const transport = await startWithSignIn();
    const send = async (message: JSONRPCMessage, sendOptions?: TransportSendOptions): Promise<void> => {
      if (sendOptions?.requestSignal?.aborted === true) return;
      try {
        await transport.send(message, sendOptions);
      } catch (error) {
        if (signIn === undefined || !(error instanceof AuthRequiredError))
          throw withLoginCommand(error, options);
        await signInFor(signIn, error);
        await transport.send(message, sendOptions);
      }
    };
    const gate = new ToolGate({ server, heldBack: options.heldBack, clock, send });
    return {
      transport,
      listen(onMessage) {
        transport.onmessage = (message) => gate.receive(message, onMessage);
      },
      send: (message, sendOptions) => gate.pass(message, () => send(message, sendOptions)),
    };
  };
}

/** Uses the older transport if the server does not know the first. */
async function withFallback(first: Transport, fallback: () => Promise<Transport>): Promise<Transport> {
  const older = await fallback();
  return createFallbackTransport({ first, fallback: () => older });
}

/** Replaces the hint by the command with which the user signs in. */
function withLoginCommand(error: unknown, { server, config, loginCommand }: OpenUpstreamOptions): unknown {
  if (!(error instanceof AuthRequiredError)) return error;
  const refused = refusedHeader(server, config, error);
  if (refused !== undefined) return refused;
  return new CommandError('AUTH_REQUIRED', error.message, {
    server,
    cause: error,
    hint: `Sign in from a terminal: ${loginCommand}`,
  });
}
