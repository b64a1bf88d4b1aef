import { BlockList, isIP } from 'node:net';
import { FittingsError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/remote-policy';

export interface PagePolicy {
  /** URL of the MCP server, which names the authorization server. */
  readonly serverUrl: URL;
  /** Hosts and ranges that a person allows besides, as in `allowAddresses`. */
  readonly allowed?: readonly string[] | undefined;
}

/**
 * Keeps a server from sending the person's browser to where it cannot reach itself: this machine, a private network, a
 * link-local address. A server on this machine may name all of them, one in a private network that kind of address, and
 * every server its own host. Throws `AUTH_DISCOVERY_FAILED`.
 */
export function checkPage(name: string, page: string, { serverUrl, allowed = [] }: PagePolicy): void {
  const host = bare(new URL(page).hostname);
  const server = bare(serverUrl.hostname);
  const place = placeOf(host);
  if (place === 'public' || host === server || isAllowed(host, allowed)) return;
  const own = placeOf(server);
  if (own === 'loopback' || own === place) return;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The authorization server names ${host} as its ${name}: a remote server cannot send the browser to a local address.`,
    {
      hint: 'If that is right, add the host to "allowAddresses" in the entry of the server.',
      details: { reason: 'endpoint' },
    },
  );
}

type NetworkPlace = 'loopback' | 'link-local' | 'private' | 'public';

function placeOf(host: string): NetworkPlace {
  const address = embedded(host);
  if (isLoopbackHost(address) || isIn(address, THIS_MACHINE)) return 'loopback';
  if (isIn(address, LINK_LOCAL)) return 'link-local';
  return isIn(address, PRIVATE) || /\.(?:local|internal|home\.arpa)$/.test(host) ? 'private' : 'public';
}

/** The IPv4 address that a NAT64 or 6to4 address stands for. */
function embedded(host: string): string {
  const groups = isIP(host) === 6 ? groupsOf(host) : [];
  const isNat64 = groups[0] === 0x64 && groups[1] === 0xff9b;
  const at = isNat64 ? 6 : groups[0] === 0x2002 ? 1 : undefined;
  if (at === undefined) return host;
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Of the form that URLs have: lower case, at most one `::`. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((each) => Number.parseInt(each, 16));
  const [first, last] = [parse(head), parse(tail ?? '')];
  return tail === undefined
    ? first
    : [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

const THIS_MACHINE = ['0.0.0.0/8', '127.0.0.0/8', '::/128', '::1/128'];
const LINK_LOCAL = ['169.254.0.0/16', 'fe80::/10'];
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'];

/** Knows IPv4 addresses in IPv6 form as well. */
function isIn(address: string, ranges: readonly string[]): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', bits] = range.split('/');
    const kind = isIP(start) === 4 ? 'ipv4' : 'ipv6';
    if (isIP(start) !== 0) list.addSubnet(start, Number(bits ?? (kind === 'ipv4' ? 32 : 128)), kind);
  }
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** The network has checked that these are hosts, addresses and ranges. */
function isAllowed(host: string, allowed: readonly string[]): boolean {
  return allowed.some((each) => bare(each) === host) || isIn(host, allowed.map(bare));
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
