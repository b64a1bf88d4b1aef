import { expect, it } from 'vitest';
import { parseAddressRanges } from '@mcp-fittings/toolbox/connect';

it.each<[string, string, boolean]>([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.2', false],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['fd00::/8', 'fd12::1', true],
  ['fd00::/8', 'fe80::1', false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['10.0.0.0/8', 'ten.example', false],
])('%s has %s: %s', (range, address, held) => expect(parseAddressRanges([range]).has(address)).toBe(held));

// An empty prefix read as 0 would be the whole internet.
it.each(['10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/0x8', '::/129', 'host', ''])(
  '%j is not a range',
  (text) => expect(() => parseAddressRanges([text])).toThrow(RangeError),
);
