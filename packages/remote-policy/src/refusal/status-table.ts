import type { Delivery, ErrorCode } from '@mcp-fittings/client-core/transport';

/** What a refused request tells beyond its status, in every remote transport. */
export type StatusFact =
  /** `WWW-Authenticate` says `error="insufficient_scope"`. */
  | 'insufficientScope'
  /** Carrying the request out twice does no harm: `isSafeToRepeat`. */
  | 'safe'
  /** There is a usable `Retry-After`. */
  | 'retryAfter';

/**
 * `challenge`: the provider of credentials is asked. `retry-later`: the server is busy and the request may be sent again.
 * `busy`: the same, but nobody knows whether it was carried out. `refused`: nothing was done. `broken`: anything may have
 * been done.
 */
export type StatusMeaning = 'challenge' | 'retry-later' | 'busy' | 'refused' | 'broken';

/** What one status, or a range of them, means. A transport adds facts and meanings of its own. */
export interface StatusRow<Fact extends string = string, Meaning extends string = string> {
  /** The statuses from the first to the second. */
  readonly from: number;
  readonly to: number;
  /** The row counts only if all of these are so. */
  readonly when?: readonly Fact[];
  readonly meaning: Meaning;
  /** Of the error, when nothing helps. */
  readonly code: ErrorCode;
  readonly delivery: Delivery;
  /** Where it differs from what the code says in general. */
  readonly retryable?: boolean;
  /** What the reader of the error can do. */
  readonly hint?: string;
}

type SharedRow = StatusRow<StatusFact, StatusMeaning>;

const SIGN_IN = 'Check the configured credentials, or sign in.';
const WIDEN = 'Sign in again and grant the scopes that the server asks for.';
const RIGHTS = 'Check the rights of the account, and which Origin and Host the server accepts.';
const LATER = 'Try again later; `details.retryAfterMs` says when, if the server does.';
const IF_HARMLESS =
  'The server may have carried it out. Send it again only if doing it twice does no harm; `details.retryAfterMs` says when, if the server does.';

/** Credentials and rate limits mean the same to every request. No row of a transport comes before these. */
// prettier-ignore
const COMMON_ROWS: readonly SharedRow[] = [
  { from: 401, to: 401, meaning: 'challenge', code: 'AUTH_REJECTED', delivery: 'rejected', hint: SIGN_IN },
  { from: 403, to: 403, when: ['insufficientScope'], meaning: 'challenge', code: 'AUTH_SCOPE_INSUFFICIENT', delivery: 'rejected', hint: WIDEN },
  { from: 403, to: 403, meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected', hint: RIGHTS },
  { from: 429, to: 429, when: ['safe'], meaning: 'retry-later', code: 'RATE_LIMITED', delivery: 'rejected', hint: LATER },
  { from: 429, to: 429, meaning: 'busy', code: 'RATE_LIMITED', delivery: 'unknown', hint: IF_HARMLESS },
  { from: 503, to: 503, when: ['safe', 'retryAfter'], meaning: 'retry-later', code: 'RATE_LIMITED', delivery: 'rejected', hint: LATER },
  { from: 503, to: 503, when: ['retryAfter'], meaning: 'busy', code: 'RATE_LIMITED', delivery: 'unknown', hint: IF_HARMLESS },
];

/**
 * Everything else. A 4xx says that the request was not carried out; a 408 and a 5xx may come after the work was done. The
 * last row takes what HTTP does not define, and what is no refusal at all.
 */
// prettier-ignore
const GENERAL_ROWS: readonly SharedRow[] = [
  { from: 408, to: 408, meaning: 'broken', code: 'HTTP_STATUS', delivery: 'unknown', retryable: true },
  { from: 400, to: 499, meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 500, to: 599, meaning: 'broken', code: 'SERVER_ERROR', delivery: 'unknown' },
];
const ANYTHING_ELSE: SharedRow = {
  from: 0,
  to: 999,
  meaning: 'broken',
  code: 'HTTP_STATUS',
  delivery: 'unknown',
};

/**
 * The whole table of a transport: what all share, with the rows of its own where they belong. The first row that fits
 * counts.
 */
export function statusTable<Fact extends string, Meaning extends string>(
  own: readonly StatusRow<Fact, Meaning>[],
): readonly StatusRow<Fact | StatusFact, Meaning | StatusMeaning>[] {
  return [...COMMON_ROWS, ...own, ...GENERAL_ROWS];
}

/** The row of a status. */
export function findStatusRow(
  table: readonly StatusRow[],
  status: number,
  facts: ReadonlySet<string>,
): StatusRow {
  return (
    table.find(
      ({ from, to, when }) =>
        status >= from && status <= to && (when?.every((fact) => facts.has(fact)) ?? true),
    ) ?? ANYTHING_ELSE
  );
}
