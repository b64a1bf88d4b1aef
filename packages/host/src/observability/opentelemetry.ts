import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { FittingsError } from '@mcp-fittings/client-core';
import { TRACE_CHANNELS, type TraceEvent } from './channels.js';

/** The few members of `@opentelemetry/api` that are used; pass the package itself. */
export interface OpenTelemetryApi<Context = unknown> {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { kind: number; attributes: Attributes }, context: Context): Span;
    };
    setSpan(context: Context, span: Span): Context;
  };
  readonly context: { active(): Context };
  readonly propagation: { inject(context: Context, carrier: Record<string, string>): void };
}

type Attributes = Record<string, string | number | boolean>;

interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

export interface OpenTelemetrySubscription extends Disposable {
  /**
   * For `createHost({ traceContext })`: the context of the span of the call as `traceparent`, `tracestate`, `baggage`, so
   * that spans of the server are its children.
   */
  readonly traceContext: () => Readonly<Record<string, string>> | undefined;
}

/** Numbers of OpenTelemetry's enumerations. */
const CLIENT_KIND = 2;
const STATUS_ERROR = 2;

/**
 * Makes a span of every connect, reconnect, refresh of a list, and call, until disposed of.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
 */
export function subscribeOpenTelemetry<Context>(api: OpenTelemetryApi<Context>): OpenTelemetrySubscription {
  const tracer = api.trace.getTracer('@mcp-fittings/host');
  const spans = new WeakMap<object, Span>();
  // The context with our span in it, for as long as the work of the span runs.
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
      // The span begins where its context is bound, below; of asynchronous work the others tell nothing more.
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

function attributesOf({ server, method, target, attempt, kind }: TraceEvent): Attributes {
  return {
    'mcp.server': server,
    ...(method !== undefined && { 'mcp.method.name': method }),
    ...(method === 'tools/call' && target !== undefined && { 'gen_ai.tool.name': target }),
    ...(attempt !== undefined && { 'mcp.attempt': attempt }),
    ...(kind !== undefined && { 'mcp.list': kind }),
  };
}
