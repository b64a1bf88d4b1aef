/** Options of {@link boundBody}. */
export interface BoundBodyOptions {
  /** Most bytes that wait for the client. One message may be larger. */
  readonly maxUnreadBytes: number;
  /** Ends the body when it is aborted. */
  readonly signal: AbortSignal;
  /** Called once when the body has ended, the client has canceled it, or the limit was exceeded. */
  readonly onEnd: () => void;
}

/**
 * Returns the response with a body that reports its end. The SDK adds messages to a body without regard to whether the client reads them, so
 * the body fails as soon as too many bytes wait.
 */
export function boundBody(response: Response, headers: Headers, options: BoundBodyOptions): Response {
  const { maxUnreadBytes, signal, onEnd } = options;
  const { body, status } = response;
  if (body === null) {
    onEnd();
    return new Response(null, { status, headers });
  }
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const pump = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a stream is read in order
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if ((controller.desiredSize ?? 0) <= 0) {
        await reader.cancel();
        throw new Error('The client does not read the response.');
      }
      controller.enqueue(value);
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        pump(controller)
          .catch((error: unknown) => controller.error(error))
          .finally(onEnd);
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  );
  return new Response(stream, { status, headers });
}
