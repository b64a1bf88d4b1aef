import { TransportError } from '@mcp-fittings/client-core';
import {
  type AddressRanges,
  type AllowedAddresses,
  bareHost,
  ipFamily,
  isLoopbackAddress,
  isLoopbackHost,
} from '@mcp-fittings/toolbox/connect';
import { specialAddresses } from './special-addresses.js';

interface AddressGuardOptions {
  /** URL that the user configured: its host is exempt, and all of loopback if it is a loopback host. */
  readonly configured: URL;
  readonly allowed: AllowedAddresses;
  readonly server?: string | undefined;
}

/**
 * Prevents server-side request forgery: a server must not direct us to networks that it cannot reach itself.
 *
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export class AddressGuard {
  readonly #options: AddressGuardOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #loopbackAllowed: boolean;
  /** Large, and most servers never name another host. */
  #special: AddressRanges | undefined;

  constructor(options: AddressGuardOptions) {
    const { configured, allowed } = options;
    this.#options = options;
    this.#hosts = new Set(allowed.hosts).add(bareHost(configured.hostname));
    this.#loopbackAllowed = isLoopbackHost(configured.hostname);
  }

  /** Throws `ADDRESS_BLOCKED` if the host of the URL is a forbidden IP address, which is never resolved. */
  checkUrl(url: URL): void {
    const host = bareHost(url.hostname);
    if (this.#hosts.has(host)) return;
    const forbidden =
      ipFamily(host) === 0 ? isLoopbackHost(host) && !this.#loopbackAllowed : this.#isBlocked(host);
    if (forbidden) throw this.#refusal(host);
  }

  /**
   * Returns the addresses that a host was resolved to. Connecting to these addresses and no others prevents DNS rebinding. Throws
   * `ADDRESS_BLOCKED` if one of them is forbidden.
   */
  checkAddresses(hostname: string, addresses: readonly string[]): readonly string[] {
    const host = bareHost(hostname);
    if (!this.#hosts.has(host) && addresses.some((address) => this.#isBlocked(address)))
      throw this.#refusal(host);
    return addresses;
  }

  #isBlocked(address: string): boolean {
    this.#special ??= specialAddresses();
    return (
      this.#special.has(address) &&
      !(this.#loopbackAllowed && isLoopbackAddress(address)) &&
      !this.#options.allowed.ranges.has(address)
    );
  }

  #refusal(host: string): TransportError {
    return new TransportError('ADDRESS_BLOCKED', `The host ${host} has an address in a private network.`, {
      server: this.#options.server,
      delivery: 'not-sent',
      hint: 'If the server may use that host, add it or its address range to `allowAddresses`.',
    });
  }
}
