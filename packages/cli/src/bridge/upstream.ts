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
import type { BridgeSignIn } from './sign-in.js';
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
  readonly signIn: BridgeSignIn;
  /** Selects the tools that are neither listed nor called. */
  readonly heldBack: HeldBack;
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
    const older = await fallback?.();
    // The older transport is used if the server does not know the first.
    const usable =
      older === undefined ? transport : createFallbackTransport({ first: transport, fallback: () => older });
    usable.onerror = (error) => logger?.debug(error.message, { server });
    await usable.start();
    return usable;
  };
  /** Does the work, and once more after a sign-in. */
  const signedIn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AuthRequiredError)) throw error;
      await signIn(error);
      return work();
    }
  };

  return async (): Promise<Upstream> => {
    // A transport can start only once, so each attempt has a new one.
    const transport = await signedIn(start);
    const send = async (message: JSONRPCMessage, sendOptions?: TransportSendOptions): Promise<void> => {
      if (sendOptions?.requestSignal?.aborted === true) return;
      await signedIn(() => transport.send(message, sendOptions));
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
