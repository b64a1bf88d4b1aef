import { createStatusTable, type StatusRow } from '@mcp-fittings/remote-policy';

/** What a refused request of this transport tells besides the facts that all remote transports know. */
export type HttpFact =
  /** It was the `initialize` request. */
  | 'handshake'
  /** It was a GET, for an event stream. */
  | 'stream'
  /** The same, and the server has not opened any event stream in this session. */
  | 'firstStream'
  /** It carried a session id. */
  | 'session'
  /** It carried a session id that worked before, and the body is a JSON-RPC error with the code -32000. */
  | 'sessionRefused';

/**
 * `gone`: the session is forgotten. `no-stream`: the server offers no event stream. `older-server`: perhaps HTTP+SSE of 2024.
 */
export type HttpMeaning = 'gone' | 'no-stream' | 'older-server' | 'refused';

const OTHER_URL =
  'Check the URL. If the server speaks HTTP+SSE, use the transport `sse` or `http({ fallback: sse() })`.';
const AGAIN = 'Connect again.';

/** Sessions, event streams and the handshake: what no other transport has. */
// prettier-ignore
const OWN_ROWS: readonly StatusRow<HttpFact, HttpMeaning>[] = [
  { from: 405, to: 405, when: ['stream'], meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 501, to: 501, when: ['stream'], meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 409, to: 409, when: ['stream'], meaning: 'refused', code: 'HTTP_STATUS', delivery: 'rejected', retryable: true },
  { from: 400, to: 499, when: ['firstStream'], meaning: 'no-stream', code: 'HTTP_STATUS', delivery: 'rejected' },
  { from: 404, to: 404, when: ['session'], meaning: 'gone', code: 'SESSION_LOST', delivery: 'rejected', hint: AGAIN },
  { from: 400, to: 400, when: ['sessionRefused'], meaning: 'gone', code: 'SESSION_LOST', delivery: 'rejected', hint: AGAIN },
  { from: 400, to: 400, when: ['handshake'], meaning: 'older-server', code: 'ENDPOINT_INCOMPATIBLE', delivery: 'rejected', hint: OTHER_URL },
  { from: 404, to: 405, when: ['handshake'], meaning: 'older-server', code: 'ENDPOINT_INCOMPATIBLE', delivery: 'rejected', hint: OTHER_URL },
];

/** What a status means to this transport. README.md shows it; a test keeps the two alike. */
export const STATUS_TABLE = createStatusTable(OWN_ROWS);
