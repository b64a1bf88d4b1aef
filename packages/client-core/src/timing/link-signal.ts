/** A signal that follows a parent for as long as it is needed. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Takes its listener off the parent; `signal` is not aborted by that. */
  [Symbol.dispose](): void;
}

/**
 * Makes a signal that is aborted with the reason of `parent`, or earlier by `abort`. Unlike `AbortSignal.any` it leaves
 * no listener on a parent that lives longer, once it is disposed of.
 */
export function linkSignal(parent?: AbortSignal): LinkedSignal {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => parent?.removeEventListener('abort', follow),
  };
}
