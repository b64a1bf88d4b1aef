import { isIP } from 'node:net';
import { parseAddressRanges } from './address-ranges.js';

/** Whether a URL is one of https: or wss:. */
export function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:';
}

/** A host name as URLs and resolvers give it, in lower case, without the brackets of IPv6 and the dot at the end. */
export function bareHost(hostname: string): string {
  const lower = hostname.toLowerCase();
  if (lower.startsWith('[')) return lower.slice(1, -1);
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Whether a host name or address means this machine by itself: `localhost`, 127.0.0.0/8, ::1, also in IPv6 clothes. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}

/** Asked several times for each connection: only IPv6 in other clothes is worth a list of ranges. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  if (family !== 6) return family === 4 && address.startsWith('127.');
  return address === '::1' || parseAddressRanges(LOOPBACK).has(address);
}

/** An address of this machine or of a private network: what is sent there does not cross the public internet. */
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
