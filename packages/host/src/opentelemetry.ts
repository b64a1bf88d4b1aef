import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { FittingsError } from '@mcp-fittings/client-core';
import { TRACE_CHANNELS, type TraceEvent } from './tracing.js';

/** The members of `@opentelemetry/api` that are used. Pass the package itself. */
export interface OpenTelemetryApi<Context = unknown> {
  /** Creates spans. */
  readonly trace: {
    /** Returns the tracer of an instrumentation. */
    getTracer(name: string): OpenTelemetryTracer<Context>;
    /** Returns a context that has this span. */
    setSpan(context: Context, span: OpenTelemetrySpan): Context;
  };
  /** Gives access to the active context. */
  readonly context: {
    /** Returns the active context. */
    active(): Context;
  };
  /** Serializes contexts. */
  readonly propagation: {
    /** Writes a context into a carrier, as `traceparent` for example. */
    inject(context: Context, carrier: Record<string, string>): void;
  };
}

/** The member of OpenTelemetry's `Tracer` that is used. */
export interface OpenTelemetryTracer<Context = unknown> {
  /** Starts a span as a child of the span of `context`. */
  startSpan(
    name: string,
    options: { kind: number; attributes: OpenTelemetryAttributes },
    context: Context,
  ): OpenTelemetrySpan;
}

/** Attributes of a span. */
export type OpenTelemetryAttributes = Record<string, string | number | boolean>;

/** The members of OpenTelemetry's `Span` that are used. */
export interface OpenTelemetrySpan {
  /** Adds attributes. */
  setAttributes(attributes: OpenTelemetryAttributes): unknown;
  /** Sets the status; `code` is a `SpanStatusCode`. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/** A subscription to the tracing channels. Dispose of it to stop. */
export interface OpenTelemetrySubscription extends Disposable {
  /**
   * Pass it to `createHost({ traceContext })`. It returns the context of the span of the current call as `traceparent`,
   * `tracestate` and `baggage`, so that spans of the server become its children.
   */
  readonly traceContext: () => Readonly<Record<string, string>> | undefined;
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR`. */
const CLIENT_KIND = 2;
const STATUS_ERROR = 2;

/**
 * Creates an OpenTelemetry span for each connect, reconnect, reading of a list, and call of every host in this process. The
 * API package is an argument, so that it is not a dependency.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
 * @example
 * import * as api from '@opentelemetry/api';
 *
 * const telemetry = subscribeOpenTelemetry(api);
 * const host = createHost({ engine, transports, traceContext: telemetry.traceContext });
 */
export function subscribeOpenTelemetry<Context>(api: OpenTelemetryApi<Context>): OpenTelemetrySubscription {
  const tracer = api.trace.getTracer('@mcp-fittings/host');
  const spans = new WeakMap<object, OpenTelemetrySpan>();
  // The context that has our span, while the work of the span runs.
  const current = new AsyncLocalStorage<Context>();
  const begin = (operation: string, traced: TraceEvent): Context => {
    const attributes = attributesOf(traced);
    const title = [traced.method ?? operation, traced.target].filter(Boolean).join(' ');
    const active = api.context.active();
    const span = tracer.startSpan(title, { kind: CLIENT_KIND, attributes }, active);
    spans.set(traced, span);
    return api.trace.setSpan(active, span);
  };
  const subscriptions = Object.entries(TRACE_CHANNELS).map(([operation, name]) => {
    const channel = tracingChannel<Context, TraceEvent>(name);
    const handlers = {
      // The span starts where its context is bound, below; the other events add nothing for asynchronous work.
      start: () => undefined,
      end: () => undefined,
      asyncStart: () => undefined,
      error(context: TraceEvent & { error: unknown }) {
        const { error } = context;
        const span = spans.get(context);
        if (error instanceof FittingsError) {
          span?.setAttributes({
            'error.type': error.code,
            ...(error.delivery && { 'mcp.delivery': error.delivery }),
          });
          span?.setStatus({ code: STATUS_ERROR, message: error.message });
        } else {
          span?.setStatus({ code: STATUS_ERROR });
        }
      },
      asyncEnd(context: TraceEvent) {
        const span = spans.get(context);
        if (context.protocolVersion !== undefined) {
          span?.setAttributes({ 'mcp.protocol.version': context.protocolVersion });
        }
        span?.end();
      },
    };
    channel.subscribe(handlers);
    channel.start.bindStore(current, (traced) => begin(operation, traced));
    return () => {
      channel.start.unbindStore(current);
      channel.unsubscribe(handlers);
    };
  });
  return {
    traceContext() {
      const carrier: Record<string, string> = {};
      api.propagation.inject(current.getStore() ?? api.context.active(), carrier);
      return Object.keys(carrier).length === 0 ? undefined : carrier;
    },
    [Symbol.dispose]() {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

function attributesOf({ server, method, target, attempt, kind }: TraceEvent): OpenTelemetryAttributes {
  return {
    'mcp.server': server,
    ...(method !== undefined && { 'mcp.method.name': method }),
    ...(method === 'tools/call' && target !== undefined && { 'gen_ai.tool.name': target }),
    ...(attempt !== undefined && { 'mcp.attempt': attempt }),
    ...(kind !== undefined && { 'mcp.list': kind }),
  };
}
