import { escapeText } from '@mcp-fittings/toolbox/text';
import type { ReadAppOptions } from './read-app.js';

/**
 * The origins that an app may use, each checked: a scheme, a host name and perhaps a port. Members without an origin are absent.
 *
 * Arrays and optional members are those of `McpUiResourceCsp` of `@modelcontextprotocol/ext-apps`, so that it accepts them under
 * `exactOptionalPropertyTypes`.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (UI Resource Format)
 */
export interface AppCsp {
  /** Origins for `fetch`, `XMLHttpRequest` and WebSockets: `https://` or `wss://`. Default: none. */
  connectDomains?: string[];
  /** Origins of images, scripts, styles, fonts and media: `https://`. Default: none. */
  resourceDomains?: string[];
  /** Origins of frames inside the app: `https://`. Default: none. */
  frameDomains?: string[];
  /** Origins that `<base>` may name: `https://`. Default: that of the document. */
  baseUriDomains?: string[];
}

/** Most origins in one list. A header of more than a few kilobytes is dropped by some browsers and proxies. */
const MAX_DOMAINS = 50;
const MAX_ORIGIN_LENGTH = 300;
const SCHEMES: Readonly<Record<keyof AppCsp, readonly string[]>> = {
  connectDomains: ['https', 'wss'],
  resourceDomains: ['https'],
  frameDomains: ['https'],
  baseUriDomains: ['https'],
};
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** A host name with a dot. */
export const HOST_NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})+$`);
const LOCAL_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
/** Names that do not leave the machine or the local network (RFC 6761, RFC 6762, ICANN's `.internal`, RFC 8375). */
const LOCAL_SUFFIX = /(?:^|\.)(?:localhost|local|internal|localdomain|lan|home\.arpa)$/;
/** A browser reads a name whose last label is a number as an IPv4 address, such as `0x7f.1`. */
const IP_ADDRESS = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;
const ORIGIN = /^([a-z]+):\/\/(\*\.)?([a-z0-9.-]+)(?::([0-9]{1,5}))?\/?$/;

/** Reads `_meta.ui.csp`. Adds a sentence to `refused` for everything that is left out. */
export function readDomains(
  value: unknown,
  kind: keyof AppCsp,
  server: string,
  options: Pick<ReadAppOptions, 'allowDomain' | 'localDomains'>,
  refused: string[],
): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    refused.push(`"${kind}" is not an array.`);
    return [];
  }
  if (value.length > MAX_DOMAINS) {
    refused.push(`"${kind}" has more than ${MAX_DOMAINS} entries; the others are ignored.`);
  }
  const origins = new Set<string>();
  for (const entry of value.slice(0, MAX_DOMAINS) as readonly unknown[]) {
    const { origin, problem } = readOrigin(entry, kind, options.localDomains === true);
    if (problem !== undefined) refused.push(`"${kind}": ${show(entry)} ${problem}.`);
    else if (options.allowDomain !== undefined && !options.allowDomain({ origin, kind, server })) {
      refused.push(`"${kind}": ${show(entry)} is not allowed by this host.`);
    } else origins.add(origin);
  }
  return [...origins];
}

type ReadOrigin =
  | { readonly origin: string; readonly problem?: undefined }
  | { readonly origin?: undefined; readonly problem: string };

/**
 * A source list of a CSP is text: a space adds a source, a semicolon a directive, a comma a policy, and a line break a header.
 * Only what is certainly one origin passes.
 */
function readOrigin(entry: unknown, kind: keyof AppCsp, local: boolean): ReadOrigin {
  if (typeof entry !== 'string') return { problem: 'is not a string' };
  if (entry.length > MAX_ORIGIN_LENGTH) return { problem: `has more than ${MAX_ORIGIN_LENGTH} characters` };
  const text = entry.toLowerCase();
  const [, scheme = '', wildcard = '', name = '', port] = ORIGIN.exec(text) ?? [];
  if (scheme === '') return { problem: 'is not an origin such as https://api.example.com' };
  const schemes = SCHEMES[kind];
  const insecure = scheme === 'http' || scheme === 'ws';
  if (!schemes.includes(insecure ? `${scheme}s` : scheme)) {
    return { problem: `must begin with ${schemes.map((each) => `${each}://`).join(' or ')}` };
  }
  if (insecure && !local) return { problem: 'is not encrypted' };
  const isPublic = HOST_NAME.test(name) && !LOCAL_SUFFIX.test(name) && !IP_ADDRESS.test(name);
  if (!isPublic && (!local || wildcard !== '' || !LOCAL_NAME.test(name))) {
    return { problem: 'is not a public host name' };
  }
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    return { problem: 'has an invalid port' };
  return { origin: `${scheme}://${wildcard}${name}${port === undefined ? '' : `:${Number(port)}`}` };
}

const show = (value: unknown): string =>
  typeof value === 'string'
    ? `"${escapeText(value, { maxLength: 100 })}"`
    : `a value of type ${typeof value}`;

/**
 * Returns the Content-Security-Policy of an app, on one line. Without origins it is the restrictive default of the specification,
 * with `frame-src`, `object-src`, `base-uri` and `form-action` besides: `default-src` does not cover the last two. `connect-src`
 * never has `'self'`, because that is the origin of the sandbox and not one that the app declared.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Host Behavior, Sandbox proxy)
 */
export function contentSecurityPolicy(csp: AppCsp): string {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp;
  const directives: readonly (readonly [name: string, ...sources: readonly string[]])[] = [
    ['default-src', "'none'"],
    ['script-src', "'self'", "'unsafe-inline'", ...resourceDomains],
    ['style-src', "'self'", "'unsafe-inline'", ...resourceDomains],
    ['img-src', "'self'", 'data:', ...resourceDomains],
    ['media-src', "'self'", 'data:', ...resourceDomains],
    ...(resourceDomains.length > 0 ? [['font-src', "'self'", ...resourceDomains] as const] : []),
    ['connect-src', ...orElse(connectDomains, "'none'")],
    ['frame-src', ...orElse(frameDomains, "'none'")],
    ['object-src', "'none'"],
    ['base-uri', ...orElse(baseUriDomains, "'self'")],
    ['form-action', "'none'"],
  ];
  return directives.map((directive) => directive.join(' ')).join('; ');
}

const orElse = (sources: readonly string[], otherwise: string): readonly string[] =>
  sources.length > 0 ? sources : [otherwise];
