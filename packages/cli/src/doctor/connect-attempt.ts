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
import { linkSignal } from '@mcp-fittings/client-core/timing';
import { RPC_CODES, isOlderEndpoint } from '@mcp-fittings/client-core/transport';
import { type Engine, observeTransport, openEntry } from '@mcp-fittings/host';

export interface AttemptOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly transports: readonly TransportPlugin[];
  readonly auth: AuthProvider | undefined;
  readonly engine: Engine;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly signal: AbortSignal;
}

/** How one connection went, with everything that was seen on the way. */
export interface Attempt {
  /** Undefined: it came about. */
  readonly error: FittingsError | undefined;
  /** What was reported besides, for instance of lines that are no message. */
  readonly reported: readonly FittingsError[];
  readonly facts: TransportDescription;
  readonly session: AttemptedSession | undefined;
  /** The server turned out to speak the older transport only. */
  readonly usedFallback: boolean;
}

export interface AttemptedSession {
  readonly protocolVersion: string;
  readonly name: string | undefined;
}

/** Connects once as a host would, and ends the connection again. */
export async function attemptConnection(options: AttemptOptions): Promise<Attempt> {
  const { server, transports, auth, clock, logger, signal } = options;
  const context = { server, transports, auth, clock, logger, signal };
  let opened;
  try {
    opened = await openEntry(options.config, context);
  } catch (error) {
    return { error: ours(error), reported: [], facts: {}, session: undefined, usedFallback: false };
  }
  const first = await connectOver(opened.transport, options);
  if (opened.fallback === undefined || !isOlderEndpoint(first.error)) return first;
  const second = await connectOver(await opened.fallback(), options);
  // Who has to sign in there has found the right transport too.
  const isThere = second.error === undefined || second.error.kind === 'auth';
  return isThere ? { ...second, usedFallback: true } : first;
}

async function connectOver(transport: Transport, options: AttemptOptions): Promise<Attempt> {
  const { server, engine, timeoutMs, clock, signal } = options;
  const reported = overhear(transport);
  using end = linkSignal(signal);
  let isLate = false;
  const timer = clock.schedule(() => {
    isLate = true;
    end.abort();
    void transport.close();
  }, timeoutMs);
  const nothing = (): void => undefined;
  try {
    const session = await engine.connect(transport, {
      server,
      signal: end.signal,
      timeoutMs,
      callbacks: {},
      clock,
      observe: observeTransport(transport),
      events: {
        log: nothing,
        listChanged: nothing,
        resourceUpdated: nothing,
        closed: nothing,
        error: nothing,
      },
    });
    const { protocolVersion, serverInfo } = session;
    try {
      await tryLists(server, session, { timeoutMs, signal: end.signal });
    } catch (cause) {
      await session.close();
      throw cause;
    }
    const facts = transport.describe?.() ?? {};
    await session.close();
    return {
      error: undefined,
      reported: [...reported],
      facts,
      session: { protocolVersion, name: serverInfo?.name },
      usedFallback: false,
    };
  } catch (cause) {
    const facts = transport.describe?.() ?? {};
    await transport.close();
    const error = isLate ? tooLate(server, timeoutMs, cause) : ours(cause);
    return { error, reported: [...reported], facts, session: undefined, usedFallback: false };
  } finally {
    timer[Symbol.dispose]();
  }
}

/** A server whose lists can't be read is of no more use than one that can't be connected. */
async function tryLists(
  server: string,
  session: Awaited<ReturnType<Engine['connect']>>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  for (const list of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
    try {
      await session.list(list, { ...options, maxPages: 64, maxItems: 10_000 });
    } catch (cause) {
      const { code, kind, hint, message, details } = ours(cause);
      // Declared, and not there: only tools are expected of whoever declares them.
      if (list !== 'tools' && details['rpcCode'] === RPC_CODES.methodNotFound) continue;
      throw new FittingsError(code, `"${server}" did not list its ${list}: ${message}`, {
        server,
        cause,
        kind,
        hint,
        details: { ...details, list },
      });
    }
  }
}

/** Every error that the transport reports; an engine says nothing of those that come while it looks for the era. */
function overhear(transport: Transport): ReadonlySet<FittingsError> {
  const heard = new Set<FittingsError>();
  const note = (error: Error): void => {
    if (error instanceof FittingsError) heard.add(error);
  };
  let theirs: (error: Error) => void = note;
  Object.defineProperty(transport, 'onerror', {
    get: () => theirs,
    set(handler: Transport['onerror']) {
      theirs = (error) => {
        note(error);
        handler?.(error);
      };
    },
  });
  return heard;
}

function tooLate(server: string, timeoutMs: number, cause: unknown): FittingsError {
  const message = `"${server}" did not finish the handshake within ${timeoutMs} ms.`;
  return new FittingsError('TIMEOUT', message, { server, cause });
}

/** What was thrown, as an error of ours. */
export function ours(error: unknown): FittingsError {
  if (error instanceof FittingsError) return error;
  return new FittingsError('PROTOCOL_VIOLATION', error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}

/** In which revision, and with whom. */
export function handshakeSummary({ session }: Attempt): string {
  if (session === undefined) return '';
  return `revision ${session.protocolVersion}${session.name === undefined ? '' : `, ${session.name}`}`;
}
