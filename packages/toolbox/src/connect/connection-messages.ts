import type { ErrorCode } from '@mcp-fittings/client-core';
import { isRecord } from '../messages.js';
import { isSocketUrl } from './socket-url.js';

const SENTENCES: Partial<Record<ErrorCode, (origin: string) => string>> = {
  CONNECTION_REFUSED: (origin) => `Connection refused by ${origin}: nothing is listening there.`,
  CONNECTION_LOST: (origin) => `The connection to ${origin} was lost.`,
  CONNECT_FAILED: (origin) => `Could not connect to ${origin}.`,
  HOST_NOT_FOUND: (origin) => `Could not resolve the host name of ${origin}.`,
  TLS_FAILED: (origin) => `The TLS handshake with ${origin} failed.`,
  PROXY_FAILED: (origin) => `The proxy could not connect to ${origin}.`,
  PROTOCOL_VIOLATION: (origin) => `Received a malformed HTTP response from ${origin}.`,
  TRANSPORT_CLOSED: (origin) => `The connection to ${origin} was closed on this side.`,
};

/**
 * Returns the error message for a failed connection, the same for every remote transport. It names the origin only, because a
 * path or a query may hold secrets.
 *
 * @param started Whether the request had been sent when the connection failed.
 */
export function connectionMessage(code: ErrorCode, origin: string, started: boolean): string {
  if (code === 'TIMEOUT')
    return started ? `${origin} did not answer in time.` : `Timed out connecting to ${origin}.`;
  return SENTENCES[code]?.(origin) ?? `A request to ${origin} failed.`;
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  CONNECTION_REFUSED: 'Check that the server is running, and check the host and port in its URL.',
  HOST_NOT_FOUND: 'Check the spelling of the host name, and whether you need a VPN or a proxy.',
  TLS_FAILED: 'If a private certificate authority issued the certificate, add that authority to `ca`.',
  PROXY_FAILED: 'Check the proxy settings, and whether the proxy requires a user name and password.',
};

/**
 * Returns what the user can do about a failed connection, or `undefined`. Detects a port that speaks TLS where the URL does not,
 * and the reverse.
 *
 * @param url The configured URL.
 * @param cause The error that Node.js or undici reported.
 */
export function connectionHint(code: ErrorCode, url: URL, cause: unknown): string | undefined {
  const other = otherScheme(url);
  if (other?.secure === false && speaksNoTls(cause))
    return `This port does not speak TLS; try ${other.origin}`;
  if (other?.secure === true && speaksTls(cause)) return `This port speaks TLS; try ${other.origin}`;
  if (other?.secure === true && hungUpUnread(url, cause))
    return `If this port speaks TLS, try ${other.origin}`;
  if (code === 'CONNECTION_REFUSED' && isSocketUrl(url))
    return 'Check that the server is running, and check the path of the socket in its URL.';
  return HINTS[code];
}

const OTHER: Readonly<Record<string, string>> = {
  'https:': 'http:',
  'http:': 'https:',
  'wss:': 'ws:',
  'ws:': 'wss:',
};

function otherScheme(url: URL): { readonly origin: string; readonly secure: boolean } | undefined {
  const scheme = OTHER[url.protocol];
  if (scheme === undefined) return undefined;
  const secure = scheme === 'https:' || scheme === 'wss:';
  return { origin: `${scheme}//${url.host}`, secure };
}

/** OpenSSL codes for a plain-text reply where a TLS record was expected. */
const NO_TLS =
  /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|UNEXPECTED_MESSAGE|RECORD_.*)$/;

function speaksNoTls(cause: unknown): boolean {
  return causesOf(cause).some(
    ({ code, message }) =>
      (typeof code === 'string' && NO_TLS.test(code)) ||
      (code === 'EPROTO' &&
        typeof message === 'string' &&
        /wrong version number|packet length too long/i.test(message)),
  );
}

/** First byte of a TLS alert, found in place of the status line of an HTTP response. */
const ALERT = 0x15;

function speaksTls(cause: unknown): boolean {
  return causesOf(cause).some(({ data, rawPacket }) =>
    [data, rawPacket].some(
      (bytes) =>
        (bytes instanceof Uint8Array && bytes[0] === ALERT && bytes[1] === 3) ||
        (typeof bytes === 'string' && bytes.startsWith('\u0015\u0003')),
    ),
  );
}

/** Returns true if the peer closed the connection before it sent a byte, as some TLS servers do when they receive plain HTTP. */
function hungUpUnread({ protocol }: URL, cause: unknown): boolean {
  return causesOf(cause).some(
    ({ code, socket }) =>
      (isRecord(socket) && socket['bytesRead'] === 0) || (protocol === 'ws:' && code === 'ECONNRESET'),
  );
}

const MAX_DEPTH = 8;

function causesOf(cause: unknown): readonly Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  for (let current = cause; isRecord(current) && found.length < MAX_DEPTH; current = current['cause'])
    found.push(current);
  return found;
}
