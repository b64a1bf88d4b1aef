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
