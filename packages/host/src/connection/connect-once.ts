import { FittingsError, type Transport, type TransportPlugin } from '@mcp-fittings/client-core';
import { withFallback } from '@mcp-fittings/toolbox/connect';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import type { EngineCallbacks, EngineEvents, EngineSession, ProtocolEra } from '../contracts/engine.js';
import type { ConnectPhase } from '../contracts/state.js';
import { parseEntry } from '../setup/settings.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { TraceEvent, Tracer } from '../tracing.js';
import { ConnectionObserver, type InboundLimit } from './connection-observer.js';
import { observed } from './observed-transport.js';

type Shared = Pick<
  ServerDeps,
  | 'server'
  | 'config'
  | 'settings'
  | 'principal'
  | 'resolve'
  | 'clock'
  | 'logger'
  | 'options'
  | 'engine'
  | 'tracer'
>;

export interface AttemptOptions {
  readonly callbacks: EngineCallbacks;
  readonly events: AttemptEvents;
  /** Bounds what the server may send on its own. */
  readonly inbound: InboundLimit;
  /** Era of an earlier connection to the same entry. */
  readonly era: ProtocolEra | undefined;
  readonly signal: AbortSignal;
}

/** An established connection. */
export interface Connection {
  readonly session: EngineSession;
  readonly transport: Transport;
  /** Type of the transport, such as `http`. */
  readonly type: string;
  /** URIs of resources that the server answered only after a second request with input of the user. */
  readonly askedAgain: ReadonlySet<string>;
  /** Resolves when the connection has ended, with the reason unless the host closed it. */
  readonly ended: Promise<FittingsError | undefined>;
}

export interface AttemptEvents extends Omit<EngineEvents, 'closed'> {
  phase(phase: ConnectPhase): void;
}

/**
 * Connects once, with the transport of the plugin, or with its fallback if the endpoint turns out to be of an older kind. It has
 * closed everything before it rejects.
 */
export async function connectOnce(shared: Shared, options: AttemptOptions): Promise<Connection> {
  const { plugin } = await shared.resolve();
  const { fallback } = plugin;
  const connect = (): Promise<Connection> => connectOver(plugin, shared, options);
  if (fallback === undefined) return connect();
  const what = `the server "${shared.server}" over ${plugin.type} or ${fallback.type}`;
  return withFallback(what, connect, () => connectOver(fallback, shared, options));
}

/**
 * Largest share of the time for messages that answer no request. The rest of a flood stays in the server's pipe: a process whose
 * pipe is not read stops, which frees the processor for other servers, and no change of a list is missed.
 */
const UNSOLICITED_SHARE = 1 / 8;

/** Opens a transport and performs the handshake, within one deadline. */
async function connectOver(
  plugin: TransportPlugin,
  shared: Shared,
  { callbacks, events, inbound, era, signal }: AttemptOptions,
): Promise<Connection> {
  const { server, config, settings, resolve, clock, logger, engine, tracer, options } = shared;
  const { name, version, title, extensions, traceContext } = options;
  const principal = shared.principal ?? options.principal;
  const ms = settings.connectMs;
  events.phase('choosing transport');
  const { auth } = await resolve();
  const entry = parseEntry(server, await plugin.schema['~standard'].validate(config));
  let transport: Transport | undefined;
  /** First error that the transport reported, such as lines that are not messages: the likely cause of a time-out. */
  let reported: FittingsError | undefined;
  const error = (cause: Error): void => {
    if (cause instanceof FittingsError) reported ??= cause;
    events.error(cause);
  };
  try {
    // The signal covers only the attempt. An established connection is closed instead, so that its calls fail accordingly.
    return await withTimeout(
      { ms, error: () => tooSlow(server, ms, transport, reported), signal, clock },
      async (within) => {
        const created = plugin.create(entry, { server, principal, auth, logger, clock, signal: within });
        created.limitUnsolicited?.(UNSOLICITED_SHARE);
        events.phase('starting');
        const { type } = plugin;
        const onHandshake = (): void => events.phase('handshake');
        const given = { server, type, transport: created, inbound, tracer, traceContext, onHandshake };
        const observer = new ConnectionObserver(given);
        const reporting = observed(created, observer);
        transport = reporting;
        let end: (reason?: FittingsError) => void = () => undefined;
        const ended = new Promise<FittingsError | undefined>((settle) => {
          end = settle;
        });
        const session = await engine.connect(reporting, {
          server,
          client: { name, version, title, extensions },
          signal: within,
          timeoutMs: ms,
          callbacks,
          clock,
          era,
          events: { ...events, error, closed: () => end(reporting.closeReason) },
        });
        const { connection, askedAgain } = observer;
        connection.protocolVersion = session.protocolVersion;
        if (tracer.isActive('session')) traceSession(tracer, { server, connection }, ended);
        return { session, transport: reporting, type, askedAgain, ended };
      },
    );
  } catch (failure) {
    // Neither SDK can abort a transport that never opens.
    await transport?.close();
    throw failure;
  }
}

function traceSession(tracer: Tracer, traced: TraceEvent, ended: Connection['ended']): void {
  const session = async (): Promise<void> => {
    const reason = await ended;
    if (reason !== undefined) throw reason;
  };
  tracer.trace('session', traced, session).catch(() => undefined);
}

/** Creates the timeout error. Asks the transport for details first, because closing it changes how its process exits. */
function tooSlow(
  server: string,
  ms: number,
  transport: Transport | undefined,
  reported: FittingsError | undefined,
): FittingsError {
  const text = `The server "${server}" did not connect within ${ms} ms.`;
  return new FittingsError('TIMEOUT', reported === undefined ? text : `${text} ${reported.message}`, {
    server,
    cause: reported,
    hint: 'Check that the server speaks MCP over this transport. Increase connectTimeout if its first run downloads something.',
    details: transport?.describe?.(),
  });
}
