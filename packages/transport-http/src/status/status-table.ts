import type { Delivery, ErrorCode } from '@mcp-fittings/client-core';

/** What a refused HTTP request tells, beyond its number. */
export interface StatusFacts {
  /** It was the `initialize` request. */
  readonly handshake: boolean;
  /** It was a GET, for an event stream. */
  readonly stream: boolean;
  /** It was a GET and the server has not opened any event stream in this session. */
  readonly firstStream: boolean;
  /** It carried a session id. */
  readonly session: boolean;
  /** It carried a session id that worked before, and the body is a JSON-RPC error with the code -32000. */
  readonly sessionRefused: boolean;
  /** `WWW-Authenticate` says `error="insufficient_scope"`. */
  readonly insufficientScope: boolean;
  /** To carry the request out twice does no harm: `isSafeToRepeat` of net-policy. */
  readonly safe: boolean;
  /** There is a usable `Retry-After`. */
  readonly retryAfter: boolean;
  /** Both. */
  readonly safeRetryAfter: boolean;
}

/**
 * `auth`: credentials are missing or bad. `scope`: they do not reach far enough. `gone`: the session is forgotten.
 * `retry-later`: come back; the request may be sent again. `busy`: come back, and nobody knows whether it was carried out. `no-stream`: the server offers no event stream. `older-server`: perhaps
 * HTTP+SSE of 2024. `refused`: nothing was done. `broken`: anything may have been done.
 */
export type StatusMeaning =
  'auth' | 'scope' | 'gone' | 'retry-later' | 'busy' | 'no-stream' | 'older-server' | 'refused' | 'broken';

export interface StatusRow {
  /** The statuses from the first to the second. */
  readonly from: number;
  readonly to: number;
  /** The row counts only when this is so. */
  readonly when?: keyof StatusFacts;
  readonly meaning: StatusMeaning;
  /** Of the error, when nothing helps. */
  readonly code: ErrorCode;
  readonly delivery: Delivery;
  /** Where it differs from what the code says in general. */
  readonly retryable?: boolean;
}

/** The first row that fits counts. README.md shows it; a test keeps the two alike. */
// prettier-ignore
export const STATUS_TABLE: readonly StatusRow[] = [
  { from: 401, to: 401, meaning: 'auth', code: 'AUTH_REJECTED', delivery: 'rejected' },
  { from: 403, to: 403, when: 'insufficientScope', meaning: 'scope', code: 'AUTH_SCOPE_INSUFFICIENT', delivery: 'rejected' },
  { from: 405, to: 405, when: 'stream', meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 501, to: 501, when: 'stream', meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 409, to: 409, when: 'stream', meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected', retryable: true },
  { from: 429, to: 429, when: 'safe', meaning: 'retry-later', code: 'RATE_LIMITED', delivery: 'rejected' },
  { from: 429, to: 429, meaning: 'busy', code: 'RATE_LIMITED', delivery: 'unknown' },
  { from: 503, to: 503, when: 'safeRetryAfter', meaning: 'retry-later', code: 'RATE_LIMITED', delivery: 'rejected' },
  { from: 503, to: 503, when: 'retryAfter', meaning: 'busy', code: 'RATE_LIMITED', delivery: 'unknown' },
  { from: 400, to: 499, when: 'firstStream', meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 404, to: 404, when: 'session', meaning: 'gone', code: 'SESSION_LOST', delivery: 'rejected' },
  { from: 400, to: 400, when: 'sessionRefused', meaning: 'gone', code: 'SESSION_LOST', delivery: 'rejected' },
  { from: 400, to: 400, when: 'handshake', meaning: 'older-server', code: 'ENDPOINT_INCOMPATIBLE', delivery: 'rejected' },
  { from: 404, to: 405, when: 'handshake', meaning: 'older-server', code: 'ENDPOINT_INCOMPATIBLE', delivery: 'rejected' },
  { from: 408, to: 408, meaning: 'broken', code: 'HTTP_STATUS', delivery: 'unknown', retryable: true },
  { from: 400, to: 499, meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 500, to: 599, meaning: 'broken', code: 'SERVER_ERROR', delivery: 'unknown' },
];

const ANYTHING_ELSE: StatusRow = {
  from: 0,
  to: 999,
  meaning: 'broken',
  code: 'HTTP_STATUS',
  delivery: 'unknown',
};

export function rowOf(status: number, facts: StatusFacts): StatusRow {
  return (
    STATUS_TABLE.find(
      ({ from, to, when }) => status >= from && status <= to && (when === undefined || facts[when]),
    ) ?? ANYTHING_ELSE
  );
}
