import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import type { OpenTelemetryApi, OpenTelemetryAttributes, OpenTelemetrySpan } from './opentelemetry/api.js';
import {
  connectionAttributes,
  failureFrom,
  failureOf,
  operationAttributes,
  spanAttributes,
  spanName,
  type Failure,
} from './opentelemetry/attributes.js';
import { TRACE_CHANNELS, type TraceEvent } from './tracing.js';

export type { OpenTelemetryApi, OpenTelemetryAttributes, OpenTelemetrySpan } from './opentelemetry/api.js';

/** A subscription to the tracing channels. Dispose of it to stop. */
export interface OpenTelemetrySubscription extends Disposable {
  /**
   * Pass it to `createHost({ traceContext })`. It returns the context of the span of the current request as `traceparent`,
   * `tracestate` and `baggage`, so that spans of the server become its children.
   */
  readonly traceContext: () => Readonly<Record<string, string>> | undefined;
}

const INSTRUMENTATION = '@mcp-fittings/host';
/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR`. */
const CLIENT_KIND = 2;
const STATUS_ERROR = 2;
/** Bounds of the buckets of both histograms, in seconds, as the conventions set them. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Requests with which a connection begins. */
const HANDSHAKES: ReadonlySet<string | undefined> = new Set(['initialize', 'server/discover']);

/** A call or a connection attempt, which may fail before it sends anything. */
interface Operation {
  readonly method: string;
  readonly startTime: number;
  sent: boolean;
}

/** A request or a connection that is being measured. */
interface Measured<Context> {
  readonly since: number;
  readonly context: Context;
  readonly span?: OpenTelemetrySpan | undefined;
  error?: unknown;
}

type Failed = TraceEvent & { readonly error: unknown };

/**
 * Creates an OpenTelemetry span for each request and notification of every host in this process, by the semantic conventions for
 * MCP, and records the metrics `mcp.client.operation.duration` and `mcp.client.session.duration`. A call or connection attempt
 * that fails before anything is sent has a span, too. The API package is an argument, so that it is not a dependency.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 * @example
 * import * as api from '@opentelemetry/api';
 *
 * const telemetry = subscribeOpenTelemetry(api);
 * const host = createHost({ name, version, transports, traceContext: telemetry.traceContext });
 */
export function subscribeOpenTelemetry<Context>(api: OpenTelemetryApi<Context>): OpenTelemetrySubscription {
  const { context } = api;
  const tracer = api.trace.getTracer(INSTRUMENTATION);
  const meter = api.metrics?.getMeter(INSTRUMENTATION);
  const histogram = (name: string, description: string) =>
    meter?.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: BUCKETS } });
  const operationDuration = histogram(
    'mcp.client.operation.duration',
    'Duration of an MCP request or notification, from sending it until the response or acknowledgment is received.',
  );
  const sessionDuration = histogram('mcp.client.session.duration', 'Duration of an MCP session.');
  /** The context that has the span of the request that is being sent, also where no context manager is registered. */
  const current = new AsyncLocalStorage<Context>();
  const operations = new AsyncLocalStorage<Operation>();
  const measured = new WeakMap<TraceEvent, Measured<Context>>();
  const subscriptions: (() => void)[] = [];

  const startSpan = (event: TraceEvent, method: string, startTime?: number): OpenTelemetrySpan => {
    const { target, connection } = event;
    // Samplers see only what is there from the start.
    const attributes = {
      ...operationAttributes(method, target),
      ...connectionAttributes(connection),
      ...spanAttributes({ ...event, method }),
    };
    const options = { kind: CLIENT_KIND, attributes, ...(startTime !== undefined && { startTime }) };
    return tracer.startSpan(spanName(method, target), options, context.active());
  };

  const subscribe = (name: string, handlers: Partial<Handlers>): void => {
    const channel = tracingChannel<unknown, TraceEvent>(name);
    const all = { ...NO_HANDLERS, ...handlers };
    channel.subscribe(all);
    subscriptions.push(() => channel.unsubscribe(all));
  };

  subscribe(TRACE_CHANNELS.request, {
    start(event) {
      const { method = '' } = event;
      const operation = operations.getStore();
      if (operation?.method === method || (operation?.method === 'initialize' && HANDSHAKES.has(method)))
        operation.sent = true;
      const span = startSpan(event, method);
      const inSpan = api.trace.setSpan(context.active(), span);
      measured.set(event, { since: performance.now(), context: inSpan, span });
      wrapRun(event, (work) => current.run(inSpan, () => context.with(inSpan, work)));
    },
    error: noteError,
    asyncEnd(event) {
      const { method = '', target, connection } = event;
      const found = measured.get(event);
      if (found === undefined) return;
      const { span, since } = found;
      const failure = failureOf(event, found.error);
      const wire = connectionAttributes(connection);
      operationDuration?.record(
        (performance.now() - since) / 1000,
        { ...operationAttributes(method, target), ...wire, ...failure?.attributes },
        found.context,
      );
      if (span === undefined) return;
      const session = connection?.sessionId;
      span.setAttributes({ ...wire, ...(session !== undefined && { 'mcp.session.id': session }) });
      end(span, failure);
    },
  });

  subscribe(TRACE_CHANNELS.session, {
    start: (event) => void measured.set(event, { since: performance.now(), context: context.active() }),
    error: noteError,
    asyncEnd(event) {
      const found = measured.get(event);
      if (found === undefined) return;
      const failure = found.error === undefined ? undefined : failureFrom(found.error);
      sessionDuration?.record((performance.now() - found.since) / 1000, {
        ...connectionAttributes(event.connection),
        ...failure?.attributes,
      });
    },
  });

  // Whatever these send is a request with a span of its own. They have one only if they fail before that.
  const unsent = new WeakMap<TraceEvent, Operation>();
  const operation = (methodOf: (event: TraceEvent) => string): Partial<Handlers> => ({
    start(event) {
      const started = { method: methodOf(event), startTime: Date.now(), sent: false };
      unsent.set(event, started);
      wrapRun(event, (work) => operations.run(started, work));
    },
    error(event) {
      const started = unsent.get(event);
      if (started === undefined || started.sent) return;
      end(startSpan(event, started.method, started.startTime), failureFrom(event.error));
    },
  });
  subscribe(
    TRACE_CHANNELS.call,
    operation(({ method = '' }) => method),
  );
  subscribe(
    TRACE_CHANNELS.connect,
    operation(() => 'initialize'),
  );
  subscribe(
    TRACE_CHANNELS.reconnect,
    operation(() => 'initialize'),
  );

  function noteError(event: Failed): void {
    const found = measured.get(event);
    if (found !== undefined) found.error = event.error;
  }

  return {
    traceContext() {
      const carrier: Record<string, string> = {};
      api.propagation.inject(current.getStore() ?? context.active(), carrier);
      return Object.keys(carrier).length === 0 ? undefined : carrier;
    },
    [Symbol.dispose]() {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

interface Handlers {
  start(event: TraceEvent): void;
  end(event: TraceEvent): void;
  asyncStart(event: TraceEvent): void;
  asyncEnd(event: TraceEvent): void;
  error(event: Failed): void;
}

const nothing = (): void => undefined;
const NO_HANDLERS: Handlers = {
  start: nothing,
  end: nothing,
  asyncStart: nothing,
  asyncEnd: nothing,
  error: nothing,
};

function wrapRun(event: TraceEvent, run: <T>(work: () => T) => T): void {
  const inner = event.run;
  event.run = inner === undefined ? run : (work) => run(() => inner(work));
}

function end(span: OpenTelemetrySpan, failure: Failure | undefined): void {
  if (failure !== undefined) {
    const { attributes, delivery, message } = failure;
    const extra: OpenTelemetryAttributes =
      delivery === undefined ? {} : { 'mcp_fittings.delivery': delivery };
    span.setAttributes({ ...attributes, ...extra });
    span.setStatus({ code: STATUS_ERROR, ...(message !== undefined && { message }) });
  }
  span.end();
}
