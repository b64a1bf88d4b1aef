import type { ResourceRef } from '@mcp-fittings/host';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { RpcError } from '../contracts/rpc-error.js';

const SCHEME = 'mcp-fittings://';

/**
 * Returns a URI, or URI template, that names the server too: `mcp-fittings://server/` and the original. Expanding the template gives
 * such a URI again.
 */
function qualifiedUri({ server, uri }: ResourceRef): string {
  return `${SCHEME}${encodeURIComponent(server)}/${uri}`;
}

/** Reads a qualified URI; `undefined` for any other URI. */
function parseQualifiedUri(uri: string): ResourceRef | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const slash = uri.indexOf('/', SCHEME.length);
  if (slash < 0) return undefined;
  try {
    return { server: decodeURIComponent(uri.slice(SCHEME.length, slash)), uri: uri.slice(slash + 1) };
  } catch {
    return undefined;
  }
}

/** An item of a list: a resource or a template. */
export interface LocatedUri {
  readonly server: string;
  /** URI or URI template. */
  readonly uri: string;
}

/** Returns the URI of each item: the original, or a qualified one if several servers list the same. */
export function uniqueUris(items: readonly LocatedUri[]): readonly string[] {
  const owners = new Map<string, string | undefined>();
  for (const { server, uri } of items) {
    owners.set(uri, owners.has(uri) && owners.get(uri) !== server ? undefined : server);
  }
  return items.map(({ server, uri }) =>
    owners.get(uri) === server && parseQualifiedUri(uri) === undefined ? uri : qualifiedUri({ server, uri }),
  );
}

/** Resources and templates that the servers of one address list. */
export interface UriLists {
  readonly servers: readonly string[];
  readonly resources: readonly LocatedUri[];
  readonly templates: readonly LocatedUri[];
}

/**
 * Returns the server that a URI belongs to: the one that it names; the only one that lists it; the one whose template fits, by the
 * longest beginning; the only one there is. Throws -32602 if several servers list it or have equally good templates, and
 * returns `undefined` if none does.
 */
export function locateUri(uri: string, { servers, resources, templates }: UriLists): ResourceRef | undefined {
  const named = parseQualifiedUri(uri);
  if (named !== undefined) return servers.includes(named.server) ? named : undefined;
  const listing = new Set(resources.filter((each) => each.uri === uri).map(({ server }) => server));
  if (listing.size > 0) return onlyOne(uri, listing);
  let longest = -1;
  let fitting = new Set<string>();
  for (const { server, uri: template } of templates) {
    const length = template === uri ? Infinity : fit(template, uri);
    if (length === undefined || length < longest) continue;
    if (length > longest) fitting = new Set();
    longest = length;
    fitting.add(server);
  }
  if (fitting.size > 0) return onlyOne(uri, fitting);
  const [only] = servers;
  return servers.length === 1 && only !== undefined ? { server: only, uri } : undefined;
}

function onlyOne(uri: string, servers: ReadonlySet<string>): ResourceRef {
  const [server] = servers;
  if (servers.size === 1 && server !== undefined) return { server, uri };
  const uris = Array.from(servers, (each) => qualifiedUri({ server: each, uri }));
  const text = `Several servers have a resource with this URI. Read one of: ${uris.join(' ')}`;
  throw new RpcError(RPC_CODES.invalidParams, text, {
    delivery: 'not-sent',
    retryable: false,
    uris,
  });
}

/** Returns the length of the text before the first variable if the URI begins and ends as the template does. */
function fit(template: string, uri: string): number | undefined {
  const first = template.indexOf('{');
  if (first < 0) return undefined;
  const head = template.slice(0, first);
  const tail = template.slice(template.lastIndexOf('}') + 1);
  const fits = uri.length >= head.length + tail.length && uri.startsWith(head) && uri.endsWith(tail);
  return fits ? head.length : undefined;
}
