import { FittingsError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/remote-policy';

export interface Recipient {
  readonly url: URL;
  readonly server: string;
  /** Audience of the ID token; undefined: it is an access token. */
  readonly audience: string | undefined;
  /** What the host allowed. */
  readonly hosts: readonly string[];
}

const PATTERN = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$|^\[[0-9a-f:.]+\]$/;

/**
 * Throws `POLICY_DENIED` where a token may not go: whoever gets an access token can do everything that its scopes allow,
 * and a file of a project can name any server. An ID token is good for its audience only, so that a server may have one
 * that is made out to itself.
 */
export function checkRecipient({ url, server, audience, hosts }: Recipient): void {
  const bad = hosts.find((pattern) => !PATTERN.test(pattern.toLowerCase()));
  if (bad !== undefined) {
    throw new FittingsError('CONFIG_INVALID', `"${bad}" is not a host name.`, {
      server,
      hint: 'Write a host ("mcp.example.com") or all below one ("*.example.com").',
    });
  }
  const { hostname, protocol, origin } = url;
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) {
    throw new FittingsError('POLICY_DENIED', `No Google token is sent to "${server}" without encryption.`, {
      server,
      hint: 'Use its https address.',
    });
  }
  const allowed = ['*.googleapis.com', ...(audience === origin ? ['*.run.app'] : []), ...hosts];
  if (allowed.some((pattern) => matches(hostname, pattern.toLowerCase()))) return;
  throw new FittingsError('POLICY_DENIED', `No Google token is sent to ${hostname}.`, {
    server,
    hint: `If you trust it with your Google identity, the host program allows it: google({ hosts: ['${hostname}'] }).`,
  });
}

function matches(hostname: string, pattern: string): boolean {
  if (!pattern.startsWith('*.')) return hostname === pattern;
  return hostname.endsWith(pattern.slice(1)) && hostname.length > pattern.length - 1;
}
