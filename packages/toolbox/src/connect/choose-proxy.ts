import { FittingsError } from '@mcp-fittings/client-core';
import { bareHost, isLoopbackHost, isSecure } from './hosts.js';
import { parseAddressRanges } from './ip-addresses.js';

/** Source of the proxy of a connection. */
export interface ProxyOptions {
  /** `'env'` for the environment variables, `'none'` for a direct connection, or the URL of a proxy. */
  readonly proxy: string;
  /** Environment variables to read `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` from, in either case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name of the server, for errors. */
  readonly server?: string | undefined;
}

/**
 * Returns the URL of the proxy for a request to `url`, or `undefined` for a direct connection. `wss:` counts as `https:` and `ws:`
 * as `http:`; a loopback host never uses a proxy of the environment. Throws `CONFIG_INVALID` if the configured proxy is not an
 * `http:` or `https:` URL.
 */
export function chooseProxy(url: URL, choice: ProxyOptions): URL | undefined {
  const { proxy, env, server } = choice;
  if (proxy === 'none') return undefined;
  if (proxy !== 'env') return parseProxy(proxy, '`proxy`', server);
  if (isLoopbackHost(url.hostname)) return undefined;
  const found = read(env, isSecure(url) ? 'https_proxy' : 'http_proxy', 'all_proxy');
  if (found === undefined || coversUrl(read(env, 'no_proxy')?.value ?? '', url)) return undefined;
  return parseProxy(found.value, found.name, server);
}

function read(
  env: ProxyOptions['env'],
  ...names: readonly string[]
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names.flatMap((lower) => [lower, lower.toUpperCase()])) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return { name, value };
  }
  return undefined;
}

function parseProxy(text: string, source: string, server: string | undefined): URL {
  const url = text.includes('://') ? text : `http://${text}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.hostname !== '') return parsed;
  throw new FittingsError('CONFIG_INVALID', `The proxy set by ${source} is not an http: or https: URL.`, {
    server,
    hint: 'Write it as http://host:port.',
  });
}

/**
 * Returns true if a `NO_PROXY` list covers a URL. Entries are separated by commas or spaces: `*`, a host with all its subdomains
 * (`corp.example`, `.corp.example`, `*.corp.example`), an address or a range, each with or without `:port`. A malformed entry covers
 * nothing.
 */
function coversUrl(noProxy: string, url: URL): boolean {
  const host = bareHost(url.hostname);
  const port = url.port === '' ? (isSecure(url) ? '443' : '80') : url.port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && covers(entry, host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const withPort = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(entry);
  if (withPort?.[2] !== undefined && withPort[2] !== port) return false;
  const name = bareHost(withPort?.[1] ?? entry).replace(/^\*?\./, '');
  if (name === '') return false;
  return host === name || host.endsWith(`.${name}`) || inRange(name, host);
}

function inRange(range: string, host: string): boolean {
  try {
    return parseAddressRanges([range]).has(host);
  } catch {
    return false;
  }
}
