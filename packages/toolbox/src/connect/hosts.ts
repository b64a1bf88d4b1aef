/** A set of IP addresses. */
export interface AddressRanges {
  /** Returns whether an IPv4 or IPv6 address is in the set; `false` for any other text. */
  has(address: string): boolean;
}

/**
 * Returns 4 or 6 for an IP address, and 0 for any other text. `node:net`, which knows, is loaded with the first call: that takes 2 ms,
 * and a program that imports a transport may never connect to a remote server.
 */
export function ipFamily(text: string): number {
  return process.getBuiltinModule('node:net').isIP(text);
}

/** Parses ranges in CIDR notation and single IP addresses. Throws a `RangeError` for any other text. */
export function parseAddressRanges(texts: readonly string[]): AddressRanges {
  if (texts.length === 0) return NO_RANGES;
  const { BlockList } = process.getBuiltinModule('node:net');
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', prefix, more] = text.split('/');
    const family = ipFamily(address);
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (family === 0 || more !== undefined || length < 0 || length > bits) {
      throw new RangeError(`${JSON.stringify(text)} is not an IP address or a CIDR range`);
    }
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    has: (address) => {
      const family = ipFamily(address);
      return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

const NO_RANGES: AddressRanges = { has: () => false };

/** Returns whether the scheme of a URL is `https:` or `wss:`. */
export function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:';
}

/** Returns a host name in lower case, without the brackets of an IPv6 address and without a trailing dot. */
export function bareHost(hostname: string): string {
  const lower = hostname.toLowerCase();
  if (lower.startsWith('[')) return lower.slice(1, -1);
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/**
 * Returns whether a host name or address means this machine: `localhost` and its subdomains, 127.0.0.0/8, ::1, and IPv6 notations
 * of these. Nothing is resolved.
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}

/** Returns whether an IP address is a loopback address: 127.0.0.0/8, ::1, or another notation of these. */
export function isLoopbackAddress(address: string): boolean {
  const family = ipFamily(address);
  if (family !== 6) return family === 4 && address.startsWith('127.');
  return address === '::1' || parseAddressRanges(LOOPBACK).has(address);
}

/** Returns whether an IP address belongs to this machine or a private network, so that traffic stays off the public internet. */
export function isLocalAddress(hostname: string): boolean {
  return parseAddressRanges([...LOOPBACK, ...PRIVATE]).has(bareHost(hostname));
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'] as const;
/** @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fe80::/10',
] as const;
