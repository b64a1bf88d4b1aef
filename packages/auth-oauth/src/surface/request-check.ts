import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request is somebody's browser going to a page, and not a page, a worker or a prefetch asking behind the
 * person's back. Older browsers send none of these headers; what they send is then decided by the state alone.
 */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  // A browser names the origin with every request that a script makes, and with none that follows a redirect to a page.
  if (headers.origin !== undefined) return false;
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-moz'], headers['x-purpose']];
  if (purpose.some((value) => value !== undefined)) return false;
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers;
  return mode === 'navigate' && destination === 'document';
}
