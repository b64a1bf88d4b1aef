import { FittingsError, TransportError } from '@mcp-fittings/client-core/transport';
import {
  bareHost,
  ipFamily,
  isLoopbackAddress,
  isLoopbackHost,
  parseAddressRanges,
  type AddressRanges,
} from '@mcp-fittings/remote-policy';
import type { HostResolver } from '../options.js';
import { specialAddresses } from './special-addresses.js';

/**
 * Prevents server-side request forgery: a server must not direct us to networks that it cannot reach itself.
 *
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export interface AddressGuard {
  /** Throws `ADDRESS_BLOCKED` if the host of the URL is a forbidden IP address, which is never resolved. */
  checkUrl(url: URL): void;
  /**
   * Resolves a host and checks each of its addresses. Connecting to these addresses and no others prevents DNS rebinding. Rejects
   * with `ADDRESS_BLOCKED` if one of them is forbidden.
   */
  readonly resolve: HostResolver;
}

export interface AddressGuardOptions {
  /** URL that the user configured: its host is exempt, and all of loopback if it is a loopback host. */
  readonly configured: URL;
  readonly allow: readonly string[];
  readonly resolve: HostResolver;
  readonly server?: string | undefined;
}

/** Throws `CONFIG_INVALID` for an entry of `allow` that is not an IP address, a range or a host name. */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const { configured, server } = options;
  const { ranges, hosts } = parseAllowed(options.allow, server);
  hosts.add(bareHost(configured.hostname));
  const loopbackAllowed = isLoopbackHost(configured.hostname);

  // Large, and most servers never name another host.
  let special: AddressRanges | undefined;

  const blocked = (address: string): boolean =>
    (special ??= specialAddresses()).has(address) &&
    !(loopbackAllowed && isLoopbackAddress(address)) &&
    !ranges.has(address);

  const refusal = (host: string): TransportError =>
    new TransportError('ADDRESS_BLOCKED', `The host ${host} has an address in a private network.`, {
      server,
      delivery: 'not-sent',
      hint: 'If the server may use that host, add it or its address range to `allowAddresses`.',
    });

  return {
    checkUrl(url) {
      const host = bareHost(url.hostname);
      if (hosts.has(host)) return;
      const forbidden = ipFamily(host) === 0 ? isLoopbackHost(host) && !loopbackAllowed : blocked(host);
      if (forbidden) throw refusal(host);
    },
    async resolve(hostname) {
      const addresses = await options.resolve(hostname);
      const host = bareHost(hostname);
      if (!hosts.has(host) && addresses.some(blocked)) throw refusal(host);
      return addresses;
    },
  };
}

const HOST_NAME = /^[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?\.?$/i;

function parseAllowed(entries: readonly string[], server: string | undefined) {
  const ranges: string[] = [];
  const hosts = new Set<string>();
  for (const entry of entries) {
    const text = bareHost(entry);
    if (entry.includes('/') || ipFamily(text) !== 0) ranges.push(text);
    else if (HOST_NAME.test(text)) hosts.add(text);
    else throw invalid(entry, server);
  }
  try {
    return { ranges: parseAddressRanges(ranges), hosts };
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : String(cause), server);
  }
}

function invalid(entry: string, server: string | undefined): FittingsError {
  return new FittingsError('CONFIG_INVALID', `\`allowAddresses\` has an invalid entry: ${entry}`, {
    server,
    hint: 'Write an IP address, a range such as 10.0.0.0/8, or a host name.',
  });
}
