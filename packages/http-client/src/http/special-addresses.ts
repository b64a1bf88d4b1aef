import {
  addressGroups,
  type AddressRanges,
  ipFamily,
  ipv4Of,
  parseAddressRanges,
} from '@mcp-fittings/toolbox/connect';

/** IPv4 ranges that do not belong to the public internet. @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relay
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
] as const;

/** IPv6 ranges that do not belong to the public internet. @see https://www.iana.org/assignments/iana-ipv6-special-registry */
const SPECIAL_V6 = [
  '::/96', // unspecified, loopback, IPv4-compatible
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b:1::/48', // NAT64 of a local network
  '100::/64', // discard
  '2001::/23', // protocol assignments, Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
] as const;

/**
 * Returns all addresses that do not belong to the public internet. An IPv4 address behind the NAT64 prefix or within ISATAP counts
 * as IPv4. An IPv4-mapped address is never public, because it is not used on the network.
 */
export function specialAddresses(): AddressRanges {
  const ranges = parseAddressRanges([...SPECIAL_V4, ...SPECIAL_V6]);
  return {
    has(address) {
      if (ipFamily(address) === 4) return ranges.has(address);
      // A zone (`fe80::1%eth0`) names an interface, not a network, and the system has names that no standard allows.
      const bare = address.split('%', 1)[0] ?? '';
      const groups = addressGroups(bare);
      if (groups === undefined) return false;
      const start = groups.slice(0, 6).join(':');
      if (start === IPV4_MAPPED) return true;
      const [, , , , fourth, fifth, high = 0, low = 0] = groups;
      const isIsatap = (fourth === 0 || fourth === 0x200) && fifth === 0x5efe;
      return ranges.has(bare) || ((start === NAT64 || isIsatap) && ranges.has(ipv4Of(high, low)));
    },
  };
}

const IPV4_MAPPED = [0, 0, 0, 0, 0, 0xffff].join(':');
const NAT64 = [0x64, 0xff9b, 0, 0, 0, 0].join(':');
