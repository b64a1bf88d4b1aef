import { isIP } from 'node:net';
import { FittingsError, TransportError } from '@mcp-fittings/client-core/transport';
import {
  bareHost,
  isLoopbackAddress,
  isLoopbackHost,
  parseAddressRanges,
  type AddressRanges,
} from '@mcp-fittings/remote-policy';
import type { HostResolver } from '../options.js';
import { specialAddresses } from './special-addresses.js';

/**
 * Keeps a server from pointing us into networks that it can not reach itself.
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export interface AddressGuard {
  /** Throws `ADDRESS_BLOCKED` where the URL names a forbidden address by itself: such a name is never resolved. */
  checkUrl(url: URL): void;
  /**
   * The addresses of a host, each of them checked; connecting to these and no others defeats a resolver that changes
   * its answer. Rejects with `ADDRESS_BLOCKED` when one of them is forbidden.
   */
  readonly resolve: HostResolver;
}

export interface AddressGuardOptions {
  /** What the person configured: its host is exempt; when it is loopback, all of loopback is. */
  readonly configured: URL;
  readonly allow: readonly string[];
  readonly resolve: HostResolver;
  readonly server?: string | undefined;
}

/** Throws `CONFIG_INVALID` on an entry of `allow` that is no address, range or host name. */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const { configured, server } = options;
  const { ranges, hosts } = parseAllowed(options.allow, server);
  hosts.add(bareHost(configured.hostname));
  const loopbackAllowed = isLoopbackHost(configured.hostname);

  // Large, and for most servers never asked: they send us nowhere else.
  let special: AddressRanges | undefined;

  const blocked = (address: string): boolean =>
    (special ??= specialAddresses()).has(address) &&
    !(loopbackAllowed && isLoopbackAddress(address)) &&
    !ranges.has(address);

  const refusal = (host: string): TransportError =>
    new TransportError('ADDRESS_BLOCKED', `The host ${host} lies in a network that is not public.`, {
      server,
      delivery: 'not-sent',
      hint: 'If the server may send you there, add the host or its address range to `allowAddresses`.',
    });

  return {
    checkUrl(url) {
      const host = bareHost(url.hostname);
      if (hosts.has(host)) return;
      const forbidden = isIP(host) === 0 ? isLoopbackHost(host) && !loopbackAllowed : blocked(host);
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
    if (entry.includes('/') || isIP(text) !== 0) ranges.push(text);
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
  return new FittingsError('CONFIG_INVALID', `\`allowAddresses\` has an entry that can't be used: ${entry}`, {
    server,
    hint: 'Write an IP address, a range such as 10.0.0.0/8, or a host name.',
  });
}
