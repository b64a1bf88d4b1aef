import { ipFamily, parseAddressRanges } from './ip-addresses.js';

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

/** Returns the host name in a `Host` header, with the brackets of an IPv6 address; undefined if the header is malformed. */
export function hostnameOf(header: string): string | undefined {
  // Characters that end the host of a URL, or its user name.
  if (/[\s/\\?#@]/.test(header) || !URL.canParse(`http://${header}`)) return undefined;
  return new URL(`http://${header}`).hostname;
}

/**
 * Returns whether a host name or address means this machine: `localhost` and its subdomains, 127.0.0.0/8, ::1, and IPv6 notations
 * of these. Nothing is resolved.
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}

/** Returns the URL in a text if it begins with `https:`, or with `http:` and means this machine, and has no credentials. */
export function secureUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  const isHere = url.protocol === 'http:' && isLoopbackHost(url.hostname);
  return url.protocol === 'https:' || isHere ? url : undefined;
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
