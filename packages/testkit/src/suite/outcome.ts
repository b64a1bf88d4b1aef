/** How a promise ended, without the promise being able to go unhandled. */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

export function outcomeOf(promise: Promise<unknown>): Promise<Outcome> {
  return promise.then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error }),
  );
}
