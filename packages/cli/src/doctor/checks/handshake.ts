import type { Attempt } from '../connect-attempt.js';

/** In which revision, and with whom. */
export function handshakeSummary({ session }: Attempt): string {
  if (session === undefined) return '';
  return `revision ${session.protocolVersion}${session.name === undefined ? '' : `, ${session.name}`}`;
}
