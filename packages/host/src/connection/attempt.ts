import { AuthRequiredError, FittingsError, type TransportPlugin } from '@mcp-fittings/client-core';
import { withTimeout } from '@mcp-fittings/client-core/timing';
import { isOlderEndpoint, type Transport } from '@mcp-fittings/client-core/transport';
import type { EngineCallbacks, EngineEvents, EngineSession, ProtocolEra } from '../contracts/engine.js';
import type { ConnectPhase } from '../contracts/state.js';
import { entryFrom } from '../setup/check-entry.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { InboundLimit } from './inbound-limit.js';
import { observeTransport } from './observe-transport.js';

type Shared = Pick<ServerDeps, 'server' | 'config' | 'settings' | 'resolve' | 'clock' | 'logger' | 'options'>;

export interface AttemptOptions {
  readonly callbacks: EngineCallbacks;
  readonly events: AttemptEvents;
  /** How much the server may send on its own. */
  readonly inbound: InboundLimit;
  /** What an earlier connection to the same entry found. */
  readonly era: ProtocolEra | undefined;
  readonly signal: AbortSignal;
}

/** A connection that is up. */
export interface Connection {
  readonly session: EngineSession;
  readonly transport: Transport;
  /** Resolves when the connection has ended, whoever ended it; with the reason when it was not us. */
  readonly ended: Promise<FittingsError | undefined>;
}

export interface AttemptEvents extends Omit<EngineEvents, 'closed'> {
  phase(phase: ConnectPhase): void;
}

/**
 * Connects once, over the plugin's transport, or over its fallback when the endpoint turns out to be of an older kind.
 * When it rejects, nothing of the attempt is left.
 */
export async function connectOnce(shared: Shared, options: AttemptOptions): Promise<Connection> {
  const { plugin } = shared.resolve();
  try {
    return await connectOver(plugin, shared, options);
  } catch (first) {
    const { fallback } = plugin;
    if (fallback === undefined || !isOlderEndpoint(first)) throw first;
    return connectOver(fallback, shared, options).catch((second: unknown) => {
      throw bothFailed(shared.server, [plugin.type, fallback.type], first, second);
    });
  }
}

/** Opening the transport and the handshake have one deadline together. */
async function connectOver(
  plugin: TransportPlugin,
  { server, config, settings, resolve, clock, logger, options: { engine } }: Shared,
  { callbacks, events, inbound, era, signal }: AttemptOptions,
): Promise<Connection> {
  const ms = settings.connectMs;
  events.phase('choosing transport');
  const { auth } = resolve();
  const entry = entryFrom(server, await plugin.schema['~standard'].validate(config));
  let transport: Transport | undefined;
  try {
    // The signal ends with the attempt: a connection that is up is closed, so that its calls fail as those of an ended one.
    return await withTimeout(
      { ms, error: () => tooSlow(server, ms, transport), signal, clock },
      async (within) => {
        const made = plugin.create(entry, { server, auth, logger, clock, signal: within });
        transport = made;
        events.phase('starting');
        const observe = observeTransport(made);
        observe(inbound.observe(made));
        observe({ started: () => events.phase('handshake') });
        const ending = watchEnd();
        const session = await engine.connect(made, {
          server,
          signal: within,
          timeoutMs: ms,
          callbacks,
          clock,
          observe,
          era,
          events: { ...events, closed: () => ending.resolve(made.closeReason) },
        });
        return { session, transport: made, ended: ending.promise };
      },
    );
  } catch (error) {
    // Neither SDK can give up a transport that never opens.
    await transport?.close();
    throw error;
  }
}

function watchEnd(): {
  promise: Promise<FittingsError | undefined>;
  resolve: (reason?: FittingsError) => void;
} {
  let resolve: (reason?: FittingsError) => void = () => undefined;
  const promise = new Promise<FittingsError | undefined>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** What a process ends with after it was closed is our doing: what is known of it is asked before. */
function tooSlow(server: string, ms: number, transport: Transport | undefined): FittingsError {
  // What the server was not given belongs into the hint.
  const { withheld, ...details } = transport?.describe?.() ?? {};
  const hint = [
    'Does the server speak MCP on this transport? A first run that downloads something may need a longer connectTimeout.',
    ...(withheld === undefined
      ? []
      : [
          `The environment has ${String(withheld)}, which this server was not given; name in \`inheritEnv\` what it needs.`,
        ]),
  ].join(' ');
  return new FittingsError('TIMEOUT', `"${server}" did not connect within ${ms} ms.`, {
    server,
    hint,
    details,
  });
}

function bothFailed(
  server: string,
  types: readonly [string, string],
  first: FittingsError,
  second: unknown,
): unknown {
  if (second instanceof AuthRequiredError || !(second instanceof FittingsError)) return second;
  return new FittingsError(
    second.code,
    `"${server}" could not be reached over ${types.join(' or ')}: ${second.message}`,
    {
      server,
      cause: new AggregateError([first, second], `${first.message} | ${second.message}`),
      kind: second.kind,
      retryable: second.retryable,
      hint: first.hint ?? second.hint,
      details: second.details,
    },
  );
}
