const BRANDS: unique symbol = Symbol.for('mcp.sdk.errorBrands');
const AUTH_SEAM: unique symbol = Symbol.for('mcp.authSeamEscape');

/**
 * Adds the members of `SdkHttpError` of `@modelcontextprotocol/client` to an error, for programs written against that class.
 * If `branded`, that package recognizes the error as its own, and its version negotiation reads the status: any branded 4xx
 * other than 401 and 403 is a sign of an older server to it, which is wrong for a 429.
 */
export function stampSdkHttpError(
  error: Error,
  data: { readonly status: number; readonly statusText: string; readonly text: string },
  branded: boolean,
): void {
  if (branded) define(error, BRANDS, new Set(['mcp.SdkError', 'mcp.SdkHttpError']));
  define(error, 'status', data.status);
  define(error, 'statusText', data.statusText);
  define(error, 'data', data);
}

/** Marks an error as being about sign-in, so that the version negotiation of the same package rethrows it unchanged. */
export function stampAuthError(error: Error): void {
  define(error, AUTH_SEAM, true);
}

/** Adds a non-enumerable member, so that text of a server does not show in `util.inspect`. A frozen error stays as it is. */
export function define(error: Error, key: PropertyKey, value: unknown): void {
  Reflect.defineProperty(error, key, { value, enumerable: false, configurable: true, writable: true });
}
