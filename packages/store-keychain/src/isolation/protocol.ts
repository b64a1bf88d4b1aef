/** One call of the driver. */
export type Call =
  | { readonly op: 'get'; readonly service: string; readonly account: string }
  | { readonly op: 'set'; readonly service: string; readonly account: string; readonly password: string }
  | { readonly op: 'delete'; readonly service: string; readonly account: string };

/** How a call ended. It never throws: what went wrong is a value that crosses processes. */
export type Outcome =
  | { readonly ok: true; readonly value: string | boolean | null }
  | { readonly ok: false; readonly failure: Failure };

/**
 * `driver`: it said so itself. `load`: it could not be loaded. `timeout`: it did not answer. `crash`: its process ended
 * or could not be started.
 */
export interface Failure {
  readonly kind: 'driver' | 'load' | 'timeout' | 'crash';
  readonly message: string;
}

/** A line to the helper, and one from it. Its first line is `{"ready":true}`. */
export type Request = Call & { readonly id: number };
export type Response = Outcome & { readonly id: number };

/** Whoever carries calls out, in whichever process. */
export interface Caller extends AsyncDisposable {
  call(call: Call): Promise<Outcome>;
  /** Gives up the connection to the keychain; the next call makes a new one. */
  reconnect?(): Promise<void>;
}
