import {
  FittingsError,
  sanitizeText,
  TransportError,
  withTimeout,
  type Clock,
  type Transport,
} from '@mcp-fittings/client-core/transport';
import type { ConnectableServer, ServerFactory } from './server-factory.js';

/** The server of one connection: made, connected and closed with it, whatever the host's code does. */
export interface HostedServer {
  /** Rejects with `CALLBACK_FAILED` when the factory or the server throws, with `TIMEOUT` when they take too long. */
  start(transport: Transport): Promise<void>;
  /** Never rejects. Safe at any time, also during {@link start}, which then rejects soon. */
  stop(): Promise<void>;
}

export interface HostedServerOptions {
  /** For error messages. */
  readonly name: string;
  readonly factory: ServerFactory;
  readonly startTimeoutMs: number;
  readonly clock: Clock;
  /** Told what goes wrong while the server is stopped. */
  readonly onError: (error: TransportError) => void;
}

/** A server that does not finish its own close() must not keep the connection from ending. */
const STOP_TIMEOUT_MS = 5000;

export function hostServer(options: HostedServerOptions): HostedServer {
  const { name, factory, startTimeoutMs, clock, onError } = options;
  let server: ConnectableServer | undefined;
  let stopped: Promise<void> | undefined;
  let interrupt: (error: TransportError) => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = reject;
  });
  // Nobody may be waiting for it.
  interrupted.catch(() => undefined);

  const failed = (what: string, cause: unknown, hint?: string): TransportError => {
    const text = sanitizeText(cause instanceof Error ? cause.message : String(cause));
    return new TransportError('CALLBACK_FAILED', `${what}: ${text}`, { server: name, cause, hint });
  };
  const tooLate = (what: string, ms: number) => (): TransportError =>
    new TransportError('TIMEOUT', `${what} within ${ms} ms.`, { server: name });

  const close = async (made: ConnectableServer): Promise<void> => {
    const error = tooLate('The in-process server did not close', STOP_TIMEOUT_MS);
    try {
      await withTimeout({ ms: STOP_TIMEOUT_MS, clock, error }, () => made.close());
    } catch (cause) {
      onError(
        cause instanceof TransportError ? cause : failed('The in-process server could not be closed', cause),
      );
    }
  };

  const makeAndConnect = async (transport: Transport): Promise<void> => {
    let made: ConnectableServer;
    try {
      made = await factory();
    } catch (cause) {
      throw cause instanceof FittingsError
        ? cause
        : failed('The factory of the in-process server threw', cause);
    }
    if (stopped !== undefined) return close(made);
    server = made;
    try {
      await made.connect(transport);
    } catch (cause) {
      const hint = 'The factory has to return a new server at each call.';
      throw failed('The in-process server could not be connected', cause, hint);
    }
  };

  return {
    async start(transport) {
      const error = tooLate('The in-process server did not start', startTimeoutMs);
      await withTimeout({ ms: startTimeoutMs, clock, error }, () =>
        Promise.race([makeAndConnect(transport), interrupted]),
      );
    },
    stop() {
      interrupt(new TransportError('TRANSPORT_CLOSED', 'The connection was closed.', { server: name }));
      return (stopped ??= server === undefined ? Promise.resolve() : close(server));
    },
  };
}
