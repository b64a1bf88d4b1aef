const BRANDS: unique symbol = Symbol.for('mcp.sdk.errorBrands');
const AUTH_SEAM: unique symbol = Symbol.for('mcp.authSeamEscape');

/**
 * Gives an error the members of the `SdkHttpError` of `@modelcontextprotocol/client`, for programs that were written
 * against it. With `branded` that package takes it for its own, so that its version negotiation reads the status: it
 * holds any branded 4xx but 401 and 403 for the sign of an older server, which a 429 is not.
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

/** Tells the same client that the error is about sign-in, so that its negotiation hands it on unchanged. */
export function stampAuthError(error: Error): void {
  define(error, AUTH_SEAM, true);
}

/** Not enumerable: text from a server has no place in an inspection. A frozen error stays as it is. */
export function define(error: Error, key: PropertyKey, value: unknown): void {
  Reflect.defineProperty(error, key, { value, enumerable: false, configurable: true, writable: true });
}
