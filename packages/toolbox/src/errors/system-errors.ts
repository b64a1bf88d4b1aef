import type { ErrorCode } from '@mcp-fittings/client-core';

const BY_SYSTEM_CODE: Readonly<Record<string, ErrorCode>> = {
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: 'CONNECTION_LOST',
  ECONNABORTED: 'CONNECTION_LOST',
  EPIPE: 'CONNECTION_LOST',
  UND_ERR_SOCKET: 'CONNECTION_LOST',
  ERR_STREAM_PREMATURE_CLOSE: 'CONNECTION_LOST',
  ENOTFOUND: 'HOST_NOT_FOUND',
  EAI_AGAIN: 'CONNECT_FAILED',
  EAI_NODATA: 'HOST_NOT_FOUND',
  ENETUNREACH: 'CONNECT_FAILED',
  EHOSTUNREACH: 'CONNECT_FAILED',
  EADDRNOTAVAIL: 'CONNECT_FAILED',
  ETIMEDOUT: 'TIMEOUT',
  UND_ERR_CONNECT_TIMEOUT: 'TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT',
  ABORT_ERR: 'ABORTED',
  UND_ERR_ABORTED: 'ABORTED',
};

/** @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const TLS_CODE =
  /^(?:ERR_(?:TLS|SSL|OSSL)_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|SELF_SIGNED_|DEPTH_ZERO_|(?:EPROTO|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$)/;

/**
 * Returns the `code` that Node.js, undici or the operating system has given an error, such as `ENOENT` or `ECONNREFUSED`, and
 * undefined for any other value.
 * @see https://nodejs.org/api/errors.html#common-system-errors
 */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns the {@link ErrorCode} that an error of Node.js, undici, the operating system or the DOM stands for, found by its
 * {@link systemErrorCode} or `name`, also in its `cause` and, for an `AggregateError`, in the first of its `errors`.
 * Undefined if none is known.
 */
export function classifySystemError(error: unknown): ErrorCode | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const code = systemErrorCode(current);
    if (code !== undefined) {
      const known = Object.hasOwn(BY_SYSTEM_CODE, code) ? BY_SYSTEM_CODE[code] : undefined;
      if (known !== undefined) return known;
      if (TLS_CODE.test(code)) return 'TLS_FAILED';
    }
    const { name, cause, errors } = current as { name?: unknown; cause?: unknown; errors?: unknown };
    if (name === 'AbortError') return 'ABORTED';
    if (name === 'TimeoutError') return 'TIMEOUT';
    current = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return undefined;
}
