import type { TracingChannel } from 'node:diagnostics_channel';
import type { RequestId, TransportDescription } from '@mcp-fittings/client-core';
import { tracingChannelOf } from './platform.js';

/**
 * Message of a tracing channel. All events of one operation share the object; subscribers may add members of their own.
 * @see https://nodejs.org/api/diagnostics_channel.html#class-tracingchannel
 */
export interface TraceEvent {
  /** Name of the server. */
  readonly server: string;
  /** Method of the request or notification, such as `tools/call`; on `call` and `request` only. */
  readonly method?: string | undefined;
  /** Tool, prompt or URI that the request is about; on `call` and `request` only. */
  readonly target?: string | undefined;
  /** Number of the attempt, from 1; on `connect` and `reconnect` only. */
  readonly attempt?: number | undefined;
  /** Negotiated revision, set when the attempt succeeds; on `connect` and `reconnect` only. */
  protocolVersion?: string | undefined;
  /** List that is read, such as `tools`; on `refresh` only. */
  readonly kind?: string | undefined;
  /** Id of the JSON-RPC request; on `request` only. Absent for a notification. */
  readonly requestId?: RequestId | undefined;
  /** Connection that carries it, as far as it is known when it is read; on `request` and `session` only. */
  readonly connection?:
    | {
        /** Type of the transport, such as `stdio`. */
        readonly type: string;
        /** Negotiated protocol revision; `undefined` before the handshake has ended. */
        readonly protocolVersion: string | undefined;
        /** Id of the session, if the transport has one. */
        readonly sessionId: string | undefined;
        /** Description of the transport by itself, see `describe()` of `Transport`. Read once for each connection. */
        readonly description: TransportDescription;
      }
    | undefined;
  /** Set before `asyncEnd` if the server answered; on `request` only. Of a notification it is always absent. */
  response?:
    | {
        /** The error, if it is an error response. */
        readonly error?: { readonly code: number; readonly message: string } | undefined;
        /** True if it is the result of a tool that failed (`isError`). */
        readonly isToolError: boolean;
      }
    | undefined;
  /** Set before `asyncEnd` if the host stopped waiting for the response; on `request` only. */
  givenUp?: 'TIMEOUT' | 'ABORTED' | undefined;
  /**
   * Runs the work of the operation. A subscriber may set it on `start`, to run the work in an async context. Call the one that
   * is there already, if any, from yours.
   */
  run?: (<T>(work: () => T) => T) | undefined;
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
  /**
   * One JSON-RPC request, from sending it to its response, or one notification. An error response is no `error` here: see
   * `response` of {@link TraceEvent}.
   */
  request: 'mcp-fittings:request',
  /** An established connection, from the handshake to its end; `error` if the host did not close it. */
  session: 'mcp-fittings:session',
} as const;

type Channel = keyof typeof TRACE_CHANNELS;

/** Runs work under tracing channels. */
export class Tracer {
  readonly #channels = new Map<Channel, TracingChannel<TraceEvent> | undefined>();

  /** Returns whether the channel has subscribers. */
  isActive(name: Channel): boolean {
    return this.#channel(name)?.hasSubscribers ?? false;
  }

  trace<T>(name: Channel, context: TraceEvent, work: () => Promise<T>): Promise<T> {
    const channel = this.#channel(name);
    if (channel === undefined) return work();
    return channel.tracePromise(() => (context.run === undefined ? work() : context.run(work)), context);
  }

  /** In a browser there are none. */
  #channel(name: Channel): TracingChannel<TraceEvent> | undefined {
    if (!this.#channels.has(name)) this.#channels.set(name, tracingChannelOf(TRACE_CHANNELS[name]));
    return this.#channels.get(name);
  }
}
