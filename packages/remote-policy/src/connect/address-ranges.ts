import { BlockList, isIP } from 'node:net';

export interface AddressRanges {
  has(address: string): boolean;
}

/** Ranges in CIDR form, or single addresses. Throws a `RangeError` on anything else. */
export function parseAddressRanges(texts: readonly string[]): AddressRanges {
  if (texts.length === 0) return NO_RANGES;
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', prefix, more] = text.split('/');
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (family === 0 || more !== undefined || length < 0 || length > bits) {
      throw new RangeError(`${JSON.stringify(text)} is no address range`);
    }
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    has: (address) => {
      const family = isIP(address);
      return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

const NO_RANGES: AddressRanges = { has: () => false };
