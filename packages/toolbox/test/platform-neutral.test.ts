import { BlockList, isIP } from 'node:net';
import { ipFamily, parseAddressRanges } from '@mcp-fittings/toolbox/connect';
import { expect, it } from 'vitest';
import { fromBase64, toBase64 } from '../src/text/base64.js';

/** Spellings of addresses that a parser may get wrong, next to right ones. */
// prettier-ignore
const ADDRESSES = [
  '0.0.0.0', '10.0.0.1', '127.255.255.254', '172.31.255.255', '192.168.0.1', '255.255.255.255',
  '01.2.3.4', '1.2.3', '1.2.3.4.', '.1.2.3.4', '1.2.3.4.5', '256.1.1.1', '0x7f.0.0.1', '2130706433',
  '1.2.3.4 ', '::', '::1', '1::', '1::8', '::ffff:10.0.0.1', '::ffff:a00:1', '::10.0.0.1',
  '64:ff9b::10.0.0.1', 'fe80::1', 'FE80::1', 'fe80::1%eth0', 'febf:ffff::', 'fd12:3456:789a:1::1',
  '2001:db8:0:0:1:0:0:1', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:1.2.3.4', '0001:002:03:4:5:6:7:8',
  '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', ':1', '1:',
  '12345::', '::g', '::1.2.3', '::01.2.3.4', ':::', '[::1]', '::1]', '::1/64', '::1@host',
  'localhost', 'ten.example', '', '%eth0', '1.2.3.4%eth0', '::1%',
];
// prettier-ignore
const RANGES = [
  '0.0.0.0/0', '10.0.0.0/8', '10.0.0.1/32', '172.16.0.0/12', '100.64.0.0/10', '127.0.0.0/9',
  '1.2.3.4/31', '::/0', '::/96', '::1/128', 'fe80::/10', 'fc00::/7', '2001:db8::/33',
  '::ffff:0:0/96', '::ffff:10.0.0.0/104', '1:2:3:4:5:6:7:8/127', '64:ff9b::/96',
];

it.each(ADDRESSES)('reads %j as an address of the family that node:net says', (address) => {
  expect(ipFamily(address)).toBe(isIP(address));
});

it.each(RANGES)('finds in %s what a BlockList finds in it', (range) => {
  const list = new BlockList();
  const [network = '', bits] = range.split('/');
  list.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  const ours = parseAddressRanges([range]);
  for (const address of ADDRESSES.filter((each) => isIP(each) !== 0 && !each.includes('%')))
    expect([address, ours.has(address)]).toEqual([
      address,
      list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'),
    ]);
});

it('encodes and decodes Base64 as a Buffer does', () => {
  for (const text of ['', 'f', 'fo', 'foo', 'Zürich 💩', '\0ÿ'.repeat(100_000)]) {
    const encoded = Buffer.from(text).toString('base64');
    expect(toBase64(new TextEncoder().encode(text))).toBe(encoded);
    expect(Buffer.from(fromBase64(encoded.replace(/=+$/, '')) ?? []).toString()).toBe(text);
  }
  expect(fromBase64('not base64!')).toBeUndefined();
});
