import { FittingsError } from '@mcp-fittings/client-core/transport';
import { parseAddressRanges } from './address-ranges.js';
import { bareHost, isLoopbackHost, isSecure } from './hosts.js';

export interface ProxyChoice {
  /** `'env'`, `'none'`, or the URL of a proxy. */
  readonly proxy: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly server?: string | undefined;
}

/**
 * The proxy that a request to `url` has to go through; undefined for a direct connection. `wss:` counts as `https:`,
 * `ws:` as `http:`. Throws `CONFIG_INVALID` when what is configured is no http(s) URL.
 */
export function chooseProxy(url: URL, choice: ProxyChoice): URL | undefined {
  const { proxy, env, server } = choice;
  if (proxy === 'none') return undefined;
  if (proxy !== 'env') return parseProxy(proxy, '`proxy`', server);
  if (isLoopbackHost(url.hostname)) return undefined;
  const found = read(env, isSecure(url) ? 'https_proxy' : 'http_proxy', 'all_proxy');
  if (found === undefined || coversUrl(read(env, 'no_proxy')?.value ?? '', url)) return undefined;
  return parseProxy(found.value, found.name, server);
}

function read(
  env: ProxyChoice['env'],
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
  throw new FittingsError('CONFIG_INVALID', `The proxy named by ${source} is no http: or https: URL.`, {
    server,
    hint: 'Write it as http://host:port.',
  });
}

/**
 * Whether a `NO_PROXY` list covers a URL. Entries are divided by commas or blanks: `*`, a host with all its
 * sub-domains (`corp.example`, `.corp.example`, `*.corp.example`), an address or a range, each with `:port` or
 * without. What can't be read covers nothing.
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
