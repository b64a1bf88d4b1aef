import { FittingsError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';

/** A server that a token would be sent to. */
export interface Recipient {
  readonly url: URL;
  readonly server: string;
  /** Audience of the ID token; undefined for an access token. */
  readonly audience: string | undefined;
  /** Hosts that the host program allows. */
  readonly hosts: readonly string[];
}

const PATTERN = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$|^\[[0-9a-f:.]+\]$/;

/**
 * Throws `POLICY_DENIED` for a server that must not receive a token: an access token permits everything that its scopes
 * allow, and the configuration of a project can name any server. An ID token is valid for its audience only, so a server
 * may receive one that is issued for itself.
 */
export function checkRecipient({ url, server, audience, hosts }: Recipient): void {
  const bad = hosts.find((pattern) => !PATTERN.test(pattern.toLowerCase()));
  if (bad !== undefined) {
    throw new FittingsError('CONFIG_INVALID', `"${bad}" is not a host name.`, {
      server,
      hint: 'Use a host name ("mcp.example.com") or a wildcard ("*.example.com").',
    });
  }
  const { hostname, protocol, origin } = url;
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) {
    throw new FittingsError(
      'POLICY_DENIED',
      `Refused to send a Google token to "${server}" without encryption.`,
      {
        server,
        hint: 'Use an https URL.',
      },
    );
  }
  const allowed = ['*.googleapis.com', ...(audience === origin ? ['*.run.app'] : []), ...hosts];
  if (allowed.some((pattern) => matches(hostname, pattern.toLowerCase()))) return;
  throw new FittingsError('POLICY_DENIED', `Refused to send a Google token to ${hostname}.`, {
    server,
    hint: `If you trust it with your Google identity, the host program allows it: google({ hosts: ['${hostname}'] }).`,
    details: { recipient: hostname },
  });
}

function matches(hostname: string, pattern: string): boolean {
  if (!pattern.startsWith('*.')) return hostname === pattern;
  return hostname.endsWith(pattern.slice(1)) && hostname.length > pattern.length - 1;
}
