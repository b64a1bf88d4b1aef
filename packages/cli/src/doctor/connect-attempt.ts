import {
  type AuthProvider,
  type Clock,
  FittingsError,
  type Logger,
  type ServerConfig,
  type Transport,
  type TransportDescription,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { linkSignal } from '@mcp-fittings/toolbox/timing';
import { createEntryTransport } from '@mcp-fittings/host';
import { type EngineSession, native, readList } from '@mcp-fittings/host/engine';
import { packageVersion } from '../own-files.js';

export interface AttemptOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly transports: readonly TransportPlugin[];
  readonly auth: AuthProvider | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly signal: AbortSignal;
}

/** The outcome of one connection attempt. */
export interface Attempt {
  /** Undefined if the connection succeeded. */
  readonly error: FittingsError | undefined;
  /** Errors that the transport reported besides, such as lines that are not messages. */
  readonly reported: readonly FittingsError[];
  readonly description: TransportDescription;
  readonly session: { readonly protocolVersion: string; readonly name: string | undefined } | undefined;
  /** Is true if the server supports only the older transport. */
  readonly usedFallback: boolean;
}

/** Connects once as a host does, reads all lists, and disconnects. */
export async function attemptConnection(options: AttemptOptions): Promise<Attempt> {
  const { server, transports, auth, clock, logger, signal } = options;
  const deps = { server, transports, auth, clock, logger, signal };
  let opened;
  try {
    opened = await createEntryTransport(options.config, deps);
  } catch (error) {
    return { ...NOTHING, error: toFittingsError(error) };
  }
  const first = await connectOver(opened.transport, options);
  if (opened.fallback === undefined || first.error?.code !== 'ENDPOINT_INCOMPATIBLE') return first;
  const second = await connectOver(await opened.fallback(), options);
  // A sign-in error over the older transport also shows that it is the right one.
  const isReached = second.error === undefined || second.error.kind === 'auth';
  return isReached ? { ...second, usedFallback: true } : first;
}

const NOTHING = { reported: [], description: {}, session: undefined, usedFallback: false } as const;

async function connectOver(transport: Transport, options: AttemptOptions): Promise<Attempt> {
  const { server, timeoutMs, clock, signal } = options;
  const reported = new Set<FittingsError>();
  using end = linkSignal(signal);
  let isTimedOut = false;
  const timer = clock.schedule(() => {
    isTimedOut = true;
    end.abort();
    void transport.close();
  }, timeoutMs);
  const nothing = (): void => undefined;
  try {
    const session = await native().connect(transport, {
      server,
      client: { name: 'fittings', version: packageVersion() },
      signal: end.signal,
      timeoutMs,
      callbacks: {},
      clock,
      events: {
        log: nothing,
        listChanged: nothing,
        resourceUpdated: nothing,
        closed: nothing,
        error(error) {
          if (error instanceof FittingsError) reported.add(error);
        },
      },
    });
    const { protocolVersion, serverInfo } = session;
    let description: TransportDescription;
    try {
      await tryLists(server, session, { timeoutMs, signal: end.signal });
      description = transport.describe?.() ?? {};
    } finally {
      await session.close();
    }
    return {
      ...NOTHING,
      error: undefined,
      reported: [...reported],
      description,
      session: { protocolVersion, name: serverInfo?.name },
    };
  } catch (cause) {
    const description = transport.describe?.() ?? {};
    await transport.close();
    const message = `"${server}" did not finish the handshake within ${timeoutMs} ms.`;
    const error = isTimedOut
      ? new FittingsError('TIMEOUT', message, { server, cause })
      : toFittingsError(cause);
    return { ...NOTHING, error, reported: [...reported], description };
  } finally {
    timer[Symbol.dispose]();
  }
}

/** Reads all lists. A server whose lists cannot be read is as unusable as one that cannot be connected. */
async function tryLists(
  server: string,
  session: EngineSession,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  for (const list of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
    try {
      await readList(session, list, { ...options, maxPages: 64, maxItems: 10_000 });
    } catch (cause) {
      const { code, kind, hint, message, details } = toFittingsError(cause);
      // Some servers declare prompts and resources without implementing the methods. Only tools have to work.
      if (list !== 'tools' && details['rpcCode'] === RPC_CODES.methodNotFound) continue;
      throw new FittingsError(code, `The server "${server}" could not list its ${list}: ${message}`, {
        server,
        cause,
        kind,
        hint,
        details: { ...details, list },
      });
    }
  }
}

/** Converts a thrown value to a `FittingsError`. */
export function toFittingsError(error: unknown): FittingsError {
  if (error instanceof FittingsError) return error;
  return new FittingsError('PROTOCOL_VIOLATION', error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}

/** Describes the protocol revision and the server. */
export function handshakeSummary({ session }: Attempt): string {
  if (session === undefined) return '';
  return `revision ${session.protocolVersion}${session.name === undefined ? '' : `, ${session.name}`}`;
}
