import { tracingChannel } from 'node:diagnostics_channel';
import { FittingsError } from '@mcp-fittings/client-core';
import { TRACE_CHANNELS, type TraceContext } from './channels.js';

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
  /** For `createHost({ traceContext })`: the current context as `traceparent`, `tracestate`, `baggage`. */
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
  const subscriptions = Object.entries(TRACE_CHANNELS).map(([operation, name]) => {
    const channel = tracingChannel<TraceContext>(name);
    const handlers = {
      // The work is asynchronous throughout: these two tell nothing that the others do not.
      end: () => undefined,
      asyncStart: () => undefined,
      start(context: TraceContext) {
        const attributes = attributesOf(context);
        const title = [context.method ?? operation, context.target].filter(Boolean).join(' ');
        spans.set(context, tracer.startSpan(title, { kind: CLIENT_KIND, attributes }, api.context.active()));
      },
      error(context: TraceContext & { error: unknown }) {
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
      asyncEnd(context: TraceContext) {
        const span = spans.get(context);
        if (context.protocolVersion !== undefined) {
          span?.setAttributes({ 'mcp.protocol.version': context.protocolVersion });
        }
        span?.end();
      },
    };
    channel.subscribe(handlers);
    return () => channel.unsubscribe(handlers);
  });
  return {
    traceContext() {
      const carrier: Record<string, string> = {};
      api.propagation.inject(api.context.active(), carrier);
      return Object.keys(carrier).length === 0 ? undefined : carrier;
    },
    [Symbol.dispose]() {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

function attributesOf({ server, method, target, attempt, kind }: TraceContext): Attributes {
  return {
    'mcp.server': server,
    ...(method !== undefined && { 'mcp.method.name': method }),
    ...(method === 'tools/call' && target !== undefined && { 'gen_ai.tool.name': target }),
    ...(attempt !== undefined && { 'mcp.attempt': attempt }),
    ...(kind !== undefined && { 'mcp.list': kind }),
  };
}
