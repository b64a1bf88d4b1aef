/** Logs what a person may want to read. `console` is one. Secrets are never logged. */
export interface Logger {
  /** Logs details for development, such as the stderr of a server. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs normal events. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs a problem that does not stop the operation. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs a failure. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
