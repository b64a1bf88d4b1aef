import { createStatusTable, type StatusRow, wrongEndpointRows } from '@mcp-fittings/toolbox/refusal';

/** Names what a refused request of this transport tells beyond its status; see `StatusCondition`. */
export type HttpCondition =
  /** The request was `initialize`. */
  | 'handshake'
  /** The request was a GET for an event stream. */
  | 'stream'
  /** The request was a GET, and the server has not opened an event stream in this session. */
  | 'firstStream'
  /** The request had a session id. */
  | 'session';

/** `gone`: the server has forgotten the session. `no-stream`: the server does not offer an event stream. */
type HttpMeaning = 'gone' | 'no-stream' | 'refused';

const OTHER_URL =
  'Check the URL. If the server speaks HTTP+SSE, use the transport `sse` or `http({ fallback: sse() })`.';
const RECONNECT = 'Reconnect to the server.';

/** Sessions, event streams and the handshake, which only this transport has. The handshake may meet a server of HTTP+SSE. */
// prettier-ignore
const OWN_ROWS: readonly StatusRow<HttpCondition, HttpMeaning>[] = [
  { from: 405, to: 405, when: ['stream'], meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 501, to: 501, when: ['stream'], meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 409, to: 409, when: ['stream'], meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected', retryable: true },
  { from: 400, to: 499, when: ['firstStream'], meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 404, to: 404, when: ['session'], meaning: 'gone', code: 'SESSION_LOST', delivery: 'rejected', hint: RECONNECT },
  { from: 410, to: 410, when: ['session'], meaning: 'gone', code: 'SESSION_LOST', delivery: 'rejected', hint: RECONNECT },
  ...wrongEndpointRows<HttpCondition>([400, [404, 405]], OTHER_URL, ['handshake']),
];

/** The status table of this transport. A test compares the table in README.md with it. */
export const STATUS_TABLE = createStatusTable(OWN_ROWS);
