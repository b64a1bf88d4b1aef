import { FittingsError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from './hosts.js';
import { coversUrl } from './no-proxy.js';
import { isSecure } from './schemes.js';

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
