import type { Delivery, ErrorCode } from '@mcp-fittings/client-core';

/** Names what a refused request tells beyond its status, over every remote transport. A row of the table may require it. */
export type StatusCondition =
  /** The request had no credentials, and `WWW-Authenticate` has a `Bearer` or `DPoP` challenge. */
  | 'credentialsMissing'
  /** `WWW-Authenticate` has `error="insufficient_scope"`. */
  | 'insufficientScope'
  /** The request may be carried out twice without harm: see `isSafeToRepeat`. */
  | 'safe'
  /** The reply has a valid `Retry-After`. */
  | 'retryAfter';

/**
 * Names what a refusal means for the request:
 *
 * - `challenge`: other credentials may help, so the provider is asked.
 * - `retry-later`: the server is busy, and the request may be sent again.
 * - `busy`: the server is busy, but it may have carried out the request, which is therefore not sent again.
 * - `refused`: the server did nothing.
 * - `broken`: the server may have done anything.
 */
export type StatusMeaning = 'challenge' | 'retry-later' | 'busy' | 'refused' | 'broken';

/** The meaning of one status, or of a range. A transport adds conditions and meanings of its own. */
export interface StatusRow<Condition extends string = string, Meaning extends string = string> {
  /** First status of the range. */
  readonly from: number;
  /** Last status of the range, inclusive. */
  readonly to: number;
  /** The row applies only if all of these hold. Default: it always applies. */
  readonly when?: readonly Condition[];
  /** Next step after the refusal. */
  readonly meaning: Meaning;
  /** Code of the error if the request fails with this refusal. */
  readonly code: ErrorCode;
  /** `delivery` of that error: whether the server may have carried out the request. */
  readonly delivery: Delivery;
  /** `retryable` of that error. Default: what `ERROR_CODES` has for `code`. */
  readonly retryable?: boolean;
  /** `hint` of that error: what the user can do. */
  readonly hint?: string;
}

type SharedRow = StatusRow<StatusCondition, StatusMeaning>;

const SIGN_IN = 'Check the configured credentials, or sign in.';
const MORE_SCOPES = 'Sign in again and grant the scopes that the server asks for.';
const PERMISSIONS =
  'Check the permissions of the account, and which Origin and Host headers the server accepts.';
const LATER = 'Try again later. If the server said when, `details.retryAfterMs` has the wait.';
const IF_HARMLESS =
  'The server may have carried out the request. Send it again only if running it twice is harmless; if the server said when, `details.retryAfterMs` has the wait.';

/** Credentials and rate limits mean the same for every request. No row of a transport comes before these. */
// prettier-ignore
const COMMON_ROWS: readonly SharedRow[] = [
  { from: 401, to: 401, meaning: 'challenge', code: 'AUTH_REJECTED', delivery: 'rejected', hint: SIGN_IN },
  { from: 403, to: 403, when: ['insufficientScope'], meaning: 'challenge', code: 'AUTH_SCOPE_INSUFFICIENT', delivery: 'rejected', hint: MORE_SCOPES },
  { from: 403, to: 403, when: ['credentialsMissing'], meaning: 'challenge', code: 'AUTH_REJECTED', delivery: 'rejected', hint: SIGN_IN },
  { from: 403, to: 403, meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected', hint: PERMISSIONS },
  { from: 429, to: 429, when: ['safe'], meaning: 'retry-later', code: 'RATE_LIMITED', delivery: 'rejected', hint: LATER },
  { from: 429, to: 429, meaning: 'busy', code: 'RATE_LIMITED', delivery: 'unknown', hint: IF_HARMLESS },
  { from: 503, to: 503, when: ['safe', 'retryAfter'], meaning: 'retry-later', code: 'RATE_LIMITED', delivery: 'rejected', hint: LATER },
  { from: 503, to: 503, when: ['retryAfter'], meaning: 'busy', code: 'RATE_LIMITED', delivery: 'unknown', hint: IF_HARMLESS },
];

/** A 4xx means that the request was not carried out. A 408 or a 5xx may follow work that was done. */
// prettier-ignore
const GENERAL_ROWS: readonly SharedRow[] = [
  { from: 408, to: 408, meaning: 'broken', code: 'HTTP_STATUS', delivery: 'unknown', retryable: true },
  { from: 400, to: 499, meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 500, to: 599, meaning: 'broken', code: 'SERVER_ERROR', delivery: 'unknown' },
];

/** For statuses that HTTP does not define, and for replies that do not refuse anything. */
const ANYTHING_ELSE: SharedRow = {
  from: 0,
  to: 999,
  meaning: 'broken',
  code: 'HTTP_STATUS',
  delivery: 'unknown',
};

/**
 * Returns the status table of a transport: the rows that all remote transports share, with the transport's own rows between
 * them. The first row that applies counts. Credentials and rate limits come first, so that no transport changes their meaning.
 *
 * @example
 * ```ts
 * const table = createStatusTable(
 *   wrongEndpointRows([404, 405], 'Check the URL of the server.'),
 * );
 * ```
 */
export function createStatusTable<Condition extends string, Meaning extends string>(
  own: readonly StatusRow<Condition, Meaning>[],
): readonly StatusRow<Condition | StatusCondition, Meaning | StatusMeaning>[] {
  return [...COMMON_ROWS, ...own, ...GENERAL_ROWS];
}

/**
 * Returns the rows for statuses that mean "the server does not speak this protocol at this URL": the request is refused with
 * `ENDPOINT_INCOMPATIBLE`, and the server did nothing.
 *
 * @param statuses Single statuses, or ranges with both ends included.
 * @param hint Which URL or which transport to try instead.
 * @param when Conditions under which the statuses mean this. Default: always.
 */
export function wrongEndpointRows<Condition extends string = never>(
  statuses: readonly (number | readonly [from: number, to: number])[],
  hint: string,
  when?: readonly Condition[],
): readonly StatusRow<Condition, 'refused'>[] {
  return statuses.map((status) => {
    const [from, to] = typeof status === 'number' ? [status, status] : status;
    return {
      from,
      to,
      ...(when !== undefined && { when }),
      meaning: 'refused',
      code: 'ENDPOINT_INCOMPATIBLE',
      delivery: 'rejected',
      hint,
    };
  });
}

/** Returns the first row of `table` that applies to `status` under these conditions. */
export function findStatusRow(
  table: readonly StatusRow[],
  status: number,
  conditions: ReadonlySet<string>,
): StatusRow {
  return (
    table.find(
      ({ from, to, when }) =>
        status >= from && status <= to && (when?.every((one) => conditions.has(one)) ?? true),
    ) ?? ANYTHING_ELSE
  );
}
