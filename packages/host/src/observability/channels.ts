import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel';

/** What a tracing channel carries; subscribers may add members of their own. */
export interface TraceEvent {
  readonly server: string;
  /** `call` only: the method, and the tool, prompt or URI it is about. */
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  /** `connect` only: which attempt, and what the server turned out to be. */
  readonly attempt?: number | undefined;
  protocolVersion?: string | undefined;
  /** `refresh` only: which list was read. */
  readonly kind?: string | undefined;
}

/**
 * Names of the `node:diagnostics_channel` tracing channels. Each has the sub-channels `start`, `end`, `asyncStart`,
 * `asyncEnd`, `error`; `error` carries the `FittingsError` as `error`.
 */
export const TRACE_CHANNELS = {
  connect: 'mcp-fittings:connect',
  call: 'mcp-fittings:call',
  refresh: 'mcp-fittings:refresh',
  reconnect: 'mcp-fittings:reconnect',
} as const;

type Channel = keyof typeof TRACE_CHANNELS;

/** Runs work under a tracing channel. */
export interface Tracer {
  /** Whether the channel has a subscriber; without one there is nothing to trace. */
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
