/** One call of the driver. */
export type DriverCall =
  | { readonly op: 'get'; readonly service: string; readonly account: string }
  | { readonly op: 'set'; readonly service: string; readonly account: string; readonly password: string }
  | { readonly op: 'delete'; readonly service: string; readonly account: string };

/** The result of a call. Failures are values, because they cross processes. */
export type DriverResult =
  | { readonly ok: true; readonly value: string | boolean | null }
  | { readonly ok: false; readonly failure: DriverFailure };

/**
 * `driver`: the driver rejected. `load`: it could not be loaded. `timeout`: it did not reply. `crash`: its process ended or
 * could not be started. `unavailable`: the keychain cannot work, as found without the driver's word.
 */
export interface DriverFailure {
  readonly kind: 'driver' | 'load' | 'timeout' | 'crash' | 'unavailable';
  /** The text of the driver for `driver` and `load`; otherwise a whole sentence of this package. */
  readonly message: string;
}

/** A line to the helper process. */
export type HelperRequest = DriverCall & { readonly id: number };
/** A line from the helper process. Its first line is `{"ready":true}`. */
export type HelperResponse = DriverResult & { readonly id: number };

/** Calls the driver, in this process or another one. */
export interface DriverConnection extends AsyncDisposable {
  /** Never rejects. */
  call(call: DriverCall): Promise<DriverResult>;
  /** Closes the connection to the keychain; the next call opens a new one. */
  reconnect?(): Promise<void>;
}
