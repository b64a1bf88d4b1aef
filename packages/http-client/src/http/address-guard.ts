import { TransportError } from '@mcp-fittings/client-core/transport';
import {
  bareHost,
  ipFamily,
  isLoopbackAddress,
  isLoopbackHost,
  type AddressRanges,
  type AllowedAddresses,
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
  readonly allowed: AllowedAddresses;
  readonly resolve: HostResolver;
  readonly server?: string | undefined;
}

export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const { configured, server } = options;
  const { ranges } = options.allowed;
  const hosts = new Set(options.allowed.hosts).add(bareHost(configured.hostname));
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
