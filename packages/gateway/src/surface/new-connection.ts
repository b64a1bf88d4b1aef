import type { HostEvents } from '@mcp-fittings/host';

/**
 * Returns whether the connection that begins is the first one of an entry or of a person, so that nothing is known of what an earlier one
 * was told. The host restores that itself when it makes a lost or idle connection again. Also true for a server that was enabled again, which
 * is then told twice.
 */
export function isNewConnection({ previous }: HostEvents['state']): boolean {
  return previous.status === 'disconnected' && previous.reason === 'not started';
}
