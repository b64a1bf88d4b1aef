import {
  AuthRequiredError,
  FittingsError,
  type AuthProvider,
  type Clock,
  type Logger,
  type ServerConfig,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import {
  isNotification,
  type JSONRPCMessage,
  type Transport,
  type TransportFacts,
} from '@mcp-fittings/client-core/transport';
import type {
  Engine,
  EngineCallbacks,
  EngineEvents,
  EngineSession,
  EraVerdict,
} from '../contracts/engine.js';
import type { ConnectPhase } from '../contracts/state.js';
import { entryFrom } from './check-entry.js';
import { createDeadline } from './deadline.js';
import type { InboundLimit } from './inbound-limit.js';

/** All that is needed to connect one server once. */
export interface AttemptParts {
  readonly server: string;
  readonly config: ServerConfig;
  readonly plugin: TransportPlugin;
  readonly auth: AuthProvider | undefined;
  readonly engine: Engine;
  readonly callbacks: EngineCallbacks;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  /** Milliseconds for opening the transport and the handshake together. */
  readonly connectMs: number;
  readonly era: EraVerdict | undefined;
  /** How much the server may send on its own. */
  readonly inbound: InboundLimit;
}

/** A connection that is up. */
export interface Live {
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
export async function connectOnce(
  parts: AttemptParts,
  events: AttemptEvents,
  signal: AbortSignal,
): Promise<Live> {
  try {
    return await connectOver(parts, parts.plugin, events, signal);
  } catch (error) {
    const { fallback } = parts.plugin;
    if (
      fallback === undefined ||
      !(error instanceof FittingsError) ||
      error.code !== 'ENDPOINT_INCOMPATIBLE'
    ) {
      throw error;
    }
    return connectOver(parts, fallback, events, signal).catch((second: unknown) => {
      throw bothFailed(parts, error, second);
    });
  }
}

async function connectOver(
  parts: AttemptParts,
  plugin: TransportPlugin,
  events: AttemptEvents,
  signal: AbortSignal,
): Promise<Live> {
  const { server, auth, clock, logger, connectMs } = parts;
  events.phase('choosing transport');
  const entry = entryFrom(server, await plugin.schema['~standard'].validate(parts.config));
  const deadline = createDeadline(clock, connectMs, signal);
  let transport: Transport | undefined;
  let facts: TransportFacts = {};
  try {
    const made = plugin.create(entry, { server, auth, logger, clock, signal });
    transport = made;
    events.phase('starting');
    const ending = watchEnd();
    // Neither SDK can give up a transport that never opens, hence the close.
    const giveUp = (): void => {
      // Before it is closed: what a process ends with then is our doing.
      facts = made.describe?.() ?? {};
      void made.close();
    };
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    if (deadline.signal.aborted) await made.close();
    const session = await parts.engine.connect(announceStart(made, parts, events), {
      server,
      signal: deadline.signal,
      timeoutMs: connectMs,
      callbacks: parts.callbacks,
      clock,
      era: parts.era,
      events: { ...events, closed: () => ending.resolve(made.closeReason) },
    });
    return { session, transport: made, ended: ending.promise };
  } catch (error) {
    await transport?.close();
    if (deadline.passed) throw tooSlow(parts, facts, error);
    throw error;
  } finally {
    deadline[Symbol.dispose]();
  }
}

/** The handshake begins when the transport has started, and what the server sends is limited from then on. */
function announceStart(transport: Transport, { inbound }: AttemptParts, events: AttemptEvents): Transport {
  const start = transport.start.bind(transport);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const sent = send(message, options);
    // The request has failed and said why; that the server could not be told adds nothing.
    return isCancellation(message) ? sent.catch(() => undefined) : sent;
  };
  transport.start = async () => {
    inbound.attach(transport);
    await start();
    events.phase('handshake');
  };
  return transport;
}

function isCancellation(message: JSONRPCMessage): boolean {
  return isNotification(message) && message.method === 'notifications/cancelled';
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

function tooSlow(parts: AttemptParts, facts: TransportFacts, cause: unknown): FittingsError {
  // What the server was not given belongs into the hint.
  const { withheld, ...details } = facts;
  const hint = [
    'Does the server speak MCP on this transport? A first run that downloads something may need a longer connectTimeout.',
    ...(withheld === undefined
      ? []
      : [
          `The environment has ${String(withheld)}, which this server was not given; name in \`inheritEnv\` what it needs.`,
        ]),
  ].join(' ');
  return new FittingsError('TIMEOUT', `"${parts.server}" did not connect within ${parts.connectMs} ms.`, {
    server: parts.server,
    cause,
    hint,
    details,
  });
}

function bothFailed(parts: AttemptParts, first: FittingsError, second: unknown): unknown {
  if (second instanceof AuthRequiredError || !(second instanceof FittingsError)) return second;
  const { server, plugin } = parts;
  const kinds = `${plugin.type} and ${plugin.fallback?.type ?? 'its fallback'}`;
  return new FittingsError(
    second.code,
    `"${server}" can be reached neither over ${kinds}: ${second.message}`,
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
