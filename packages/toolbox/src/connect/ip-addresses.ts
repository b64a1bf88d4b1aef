/** A set of IP addresses. */
export interface AddressRanges {
  /** Returns whether an IPv4 or IPv6 address is in the set; `false` for any other text. */
  has(address: string): boolean;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** The characters of an IPv6 address, which may have a zone. */
const IPV6 = /^([\da-f:.]{2,45})(?:%[\da-z.:-]+)?$/i;

/** Returns 4 or 6 for an IP address, and 0 for any other text. */
export function ipFamily(text: string): 0 | 4 | 6 {
  if (IPV4.test(text)) return 4;
  return addressGroups(text) === undefined ? 0 : 6;
}

/**
 * Parses ranges in CIDR notation and single IP addresses. Throws a `RangeError` for any other text. An IPv4 address and its form in
 * IPv6 (`::ffff:10.0.0.1`) are the same address.
 */
export function parseAddressRanges(texts: readonly string[]): AddressRanges {
  const ranges = texts.map(parseRange);
  return {
    has(address) {
      const groups = addressGroups(address);
      return groups !== undefined && ranges.some((range) => isWithin(groups, range));
    },
  };
}

/** The first `bits` of `groups` are those of every address in the range. */
interface Range {
  readonly groups: readonly number[];
  readonly bits: number;
}

function parseRange(text: string): Range {
  const [address = '', prefix, more] = text.split('/');
  const groups = addressGroups(address);
  const longest = IPV4.test(address) ? 32 : 128;
  const length = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (groups === undefined || more !== undefined || length < 0 || length > longest)
    throw new RangeError(`${JSON.stringify(text)} is not an IP address or a CIDR range`);
  return { groups, bits: 128 - longest + length };
}

function isWithin(groups: readonly number[], range: Range): boolean {
  return range.groups.every((group, index) => {
    const ignored = Math.min(16, Math.max(0, 16 * (index + 1) - range.bits));
    return group >> ignored === (groups[index] ?? 0) >> ignored;
  });
}

/** Returns the eight groups of an IPv6 address, or of the IPv6 form of an IPv4 address; `undefined` for any other text. */
export function addressGroups(text: string): readonly number[] | undefined {
  const address = IPV4.test(text) ? `::ffff:${text}` : IPV6.exec(text)?.[1];
  if (address === undefined || !URL.canParse(`http://[${address}]`)) return undefined;
  // The parser of URLs checks the address, and writes it with hexadecimal groups and at most one gap.
  const [before = [], after = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map(numbersIn);
  const gap = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...gap, ...after];
}

function numbersIn(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** Returns the IPv4 address that two groups of an IPv6 address hold. */
export function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
