import {
  type Delivery,
  type ErrorCode,
  FittingsError,
  type FittingsErrorOptions,
  TransportError,
} from '@mcp-fittings/client-core';
import { connectionHint, connectionMessage, originOf } from '@mcp-fittings/toolbox/connect';
import { classifySystemError, systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/** The circumstances of a failed exchange. */
export interface FailedExchange {
  readonly server: string | undefined;
  /** URL of the request, or of the socket that it is for. */
  readonly url: URL;
  /** True if the request was written to a connected socket. */
  readonly started: boolean;
  readonly proxied: boolean;
}

const BY_UNDICI_CODE: Readonly<Record<string, ErrorCode>> = {
  UND_ERR_DESTROYED: 'TRANSPORT_CLOSED',
  UND_ERR_CLOSED: 'TRANSPORT_CLOSED',
  UND_ERR_PRX_TLS: 'PROXY_FAILED',
  UND_ERR_HEADERS_OVERFLOW: 'PROTOCOL_VIOLATION',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'PROTOCOL_VIOLATION',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'MESSAGE_TOO_LARGE',
};

/**
 * Converts an error of undici or Node.js to a `TransportError`. It names the origin only, because a path or query may hold secrets.
 */
export function networkError(cause: unknown, failed: FailedExchange): TransportError {
  if (cause instanceof TransportError) return cause;
  if (cause instanceof FittingsError) {
    // An invalid setting that was found only now, such as an unreadable certificate file.
    const { hint, kind, retryable, server, details } = cause;
    const options = {
      hint,
      kind,
      retryable,
      server,
      details,
      delivery: 'not-sent',
      cause: cause.cause,
    } as const;
    return new TransportError(cause.code, cause.message, options);
  }
  const code = codeOf(cause, failed);
  return failure(code, failed, {
    cause,
    delivery: deliveryOf(cause, code, failed),
    hint: connectionHint(code, failed.url, cause),
  });
}

/** Creates an error about an exchange. `text` gets the origin; without it, the standard message of the code is used. */
export function failure(
  code: ErrorCode,
  failed: FailedExchange,
  options: FittingsErrorOptions,
  text?: (origin: string) => string,
): TransportError {
  const origin = originOf(failed.url);
  const message = text?.(origin) ?? connectionMessage(code, origin, failed.started);
  return new TransportError(code, message, {
    server: failed.server,
    ...options,
    details: { url: origin, ...options.details },
  });
}

/** Creates the error for a request to another origin than the one that the client is for. */
export function foreignOrigin(url: URL, own: string, server: string | undefined): TransportError {
  const message = `A request to ${url.origin} was not sent: this client sends requests to ${own} only.`;
  return new TransportError('POLICY_DENIED', message, { server, delivery: 'not-sent' });
}

function codeOf(cause: unknown, { started, proxied }: FailedExchange): ErrorCode {
  const own = undiciCodeOf(cause);
  if (own !== undefined) return own;
  // A Unix socket or a named pipe that does not exist.
  if (!started && systemErrorCode(cause) === 'ENOENT') return 'CONNECTION_REFUSED';
  const code = classifySystemError(cause) ?? (started ? 'CONNECTION_LOST' : 'CONNECT_FAILED');
  if (started || code === 'TLS_FAILED') return code;
  if (proxied) return 'PROXY_FAILED';
  return code === 'CONNECTION_LOST' ? 'CONNECT_FAILED' : code;
}

function undiciCodeOf(cause: unknown): ErrorCode | undefined {
  for (let current = cause; isRecord(current); current = current['cause']) {
    const { code, message, name } = current;
    if (name === 'HTTPParserError') return 'PROTOCOL_VIOLATION';
    if (typeof code !== 'string') continue;
    const known = Object.hasOwn(BY_UNDICI_CODE, code) ? BY_UNDICI_CODE[code] : undefined;
    if (known !== undefined) return known;
    if (typeof message !== 'string') continue;
    // undici has no codes for these.
    if (/^Proxy (?:response|Authentication)/.test(message)) return 'PROXY_FAILED';
    if (code === 'UND_ERR_INVALID_ARG' && message.includes('header')) return 'HEADER_INVALID';
  }
  return undefined;
}

/** A peer that ends the handshake with an alert has not read the request. */
const TLS_ALERT = /^ERR_SSL_.*ALERT/;

function deliveryOf(cause: unknown, code: ErrorCode, { started }: FailedExchange): Delivery {
  if (!started || code === 'HEADER_INVALID') return 'not-sent';
  if (code === 'PROXY_FAILED') return 'rejected';
  const system = isRecord(cause) ? cause['code'] : undefined;
  return typeof system === 'string' && TLS_ALERT.test(system) ? 'rejected' : 'unknown';
}
