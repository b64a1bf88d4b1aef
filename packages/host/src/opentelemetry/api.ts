/** The members of `@opentelemetry/api` that are used. Pass the package itself. */
export interface OpenTelemetryApi<Context = unknown> {
  /** Creates spans. */
  readonly trace: {
    /** Returns the tracer of an instrumentation. */
    getTracer(name: string): {
      /** Starts a span as a child of the span of `context`. */
      startSpan(
        name: string,
        options: { kind: number; attributes: OpenTelemetryAttributes; startTime?: number },
        context: Context,
      ): OpenTelemetrySpan;
    };
    /** Returns a context that has this span. */
    setSpan(context: Context, span: OpenTelemetrySpan): Context;
  };
  /** Gives access to the active context. */
  readonly context: {
    /** Returns the active context. */
    active(): Context;
    /** Runs a function in a context. */
    with<T>(context: Context, work: () => T): T;
  };
  /** Serializes contexts. */
  readonly propagation: {
    /** Writes a context into a carrier, as `traceparent` for example. */
    inject(context: Context, carrier: Record<string, string>): void;
  };
  /** Creates metrics. Default: no metrics are recorded. */
  readonly metrics?: {
    /** Returns the meter of an instrumentation. */
    getMeter(name: string): {
      /** Creates a histogram. */
      createHistogram(
        name: string,
        options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } },
      ): {
        /** Records one value. */
        record(value: number, attributes: OpenTelemetryAttributes, context?: Context): void;
      };
    };
  };
}

/** Attributes of a span or a metric. */
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
