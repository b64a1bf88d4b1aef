import { checkHeaders } from '@mcp-fittings/remote-policy';

/** The handshake itself sets these. */
export const RESERVED_HEADERS = ['sec-websocket-*'];

/** Headers for the upgrade request, with lower-case names. Throws `HEADER_INVALID`. */
export function checkUpgradeHeaders(
  headers: Readonly<Record<string, string>>,
  server: string | undefined,
): Readonly<Record<string, string>> {
  return checkHeaders(headers, { server, reserved: RESERVED_HEADERS });
}
