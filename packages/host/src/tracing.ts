import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel';

/**
 * Message of a tracing channel. All events of one operation share the object; subscribers may add members of their own.
 * @see https://nodejs.org/api/diagnostics_channel.html#class-tracingchannel
 */
export interface TraceEvent {
  /** Name of the server. */
  readonly server: string;
  /** Method of the request, such as `tools/call`; on `call` only. */
  readonly method?: string | undefined;
  /** Tool, prompt or URI that the request is about; on `call` only. */
  readonly target?: string | undefined;
  /** Number of the attempt, from 1; on `connect` and `reconnect` only. */
  readonly attempt?: number | undefined;
  /** Negotiated revision, set when the attempt succeeds; on `connect` and `reconnect` only. */
  protocolVersion?: string | undefined;
  /** List that is read, such as `tools`; on `refresh` only. */
  readonly kind?: string | undefined;
}

/**
 * Names of the `node:diagnostics_channel` tracing channels. Each has the events `start`, `end`, `asyncStart`, `asyncEnd` and
 * `error`; on `error` the message has the `FittingsError` as `error`. Without subscribers they cost next to nothing.
 * @example
 * tracingChannel(TRACE_CHANNELS.call).asyncEnd.subscribe((message) => console.log(message));
 */
export const TRACE_CHANNELS = {
  /** A connection attempt: from choosing the transport to the end of the handshake. */
  connect: 'mcp-fittings:connect',
  /** A call, retries included. */
  call: 'mcp-fittings:call',
  /** One reading of one list. */
  refresh: 'mcp-fittings:refresh',
  /** A connection attempt after a lost connection. */
  reconnect: 'mcp-fittings:reconnect',
} as const;

type Channel = keyof typeof TRACE_CHANNELS;

/** Runs work under a tracing channel. */
export interface Tracer {
  /** Whether the channel has subscribers. */
  isActive(channel: Channel): boolean;
  trace<T>(channel: Channel, context: TraceEvent, work: () => Promise<T>): Promise<T>;
}

export function createTracer(): Tracer {
  const channels = new Map<Channel, TracingChannel<TraceEvent>>();
  const channelOf = (name: Channel): TracingChannel<TraceEvent> => {
    const known = channels.get(name);
    if (known !== undefined) return known;
    const made = tracingChannel<TraceEvent>(TRACE_CHANNELS[name]);
    channels.set(name, made);
    return made;
  };
  return {
    isActive: (name) => channelOf(name).hasSubscribers,
    trace: (name, context, work) => channelOf(name).tracePromise(work, context),
  };
}
