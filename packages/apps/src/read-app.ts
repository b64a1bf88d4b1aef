import { createHash } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { escapeText } from '@mcp-fittings/toolbox/text';
import type { ResourceContents, ResourceDefinition, ResourceResult } from '@mcp-fittings/host';
import { contentSecurityPolicy, HOST_NAME, readDomains, type AppCsp } from './app-domains.js';
import { allowAttribute, readPermissions, type AppPermissions } from './app-permissions.js';

/** Limits of what a host accepts of an app. */
export interface ReadAppOptions {
  /** Decides whether an app may use an origin. Called for every well-formed one. Default: all are accepted. */
  readonly allowDomain?:
    | ((domain: {
        /** The origin, such as `https://api.example.com` or `https://*.example.com`. */
        readonly origin: string;
        /** Purpose that the app states. */
        readonly kind: keyof AppCsp;
        /** Name of the app's server in the host; an empty string if it is not known. */
        readonly server: string;
      }) => boolean)
    | undefined;
  /**
   * If true, apps may use `http://`, `ws://`, IP addresses and names without a dot, for a server under development. They reach the
   * machine and the network of the user. Default false.
   */
  readonly localDomains?: boolean | undefined;
  /** Largest HTML, in bytes of UTF-8. Default 8 388 608 (8 MiB). */
  readonly maxHtmlBytes?: number | undefined;
  /**
   * Permissions that the host grants if an app requests them; the browser may still ask the user. An Electron program grants
   * them without a question by default: list only those that it handles. Default: all that are requested.
   */
  readonly permissions?: readonly (keyof AppPermissions)[] | undefined;
  /**
   * Decides whether an app may have the origin that it requests for its sandbox. Return true only for a subdomain that the host
   * keeps for sandboxes, and for one server only. Default: no app gets its own origin.
   */
  readonly allowSandboxDomain?: ((domain: string, server: string) => boolean) | undefined;
}

/** An app that was read and checked. The HTML is the server's: show it only in a sandbox. */
export interface AppResource {
  /** URI of the app; begins with `ui://`. */
  readonly uri: string;
  /** The document, as the server sent it. */
  readonly html: string;
  /** SHA-256 of the UTF-8 of {@link html}: `sha256:` and 64 hexadecimal digits. Bind a review of the app to it. */
  readonly digest: string;
  /** The origins that the app may use, for `sendSandboxResourceReady()` of `AppBridge`. */
  readonly csp: AppCsp;
  /** The same origins as the value of a `Content-Security-Policy` header. Send it with the page that the app is loaded into. */
  readonly contentSecurityPolicy: string;
  /** The browser capabilities that the app gets. */
  readonly permissions: AppPermissions;
  /** The same capabilities as the `allow` attribute of the frame; empty if there are none. */
  readonly allow: string;
  /** The origin that the app requests for its sandbox, if `allowSandboxDomain` accepts it: a host name in lower case. */
  readonly domain: string | undefined;
  /** Is true if the app asks for a visible border and background; `undefined`: the host decides. */
  readonly prefersBorder: boolean | undefined;
  /**
   * All origins of {@link csp}, each once. The specification recommends to warn the user if there are any.
   * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Security Requirements)
   */
  readonly externalDomains: readonly string[];
  /** Requests of the metadata that are not granted, one sentence each, for a log. At most 100. */
  readonly refused: readonly string[];
}

const DEFAULT_HTML_BYTES = 8 * 1024 * 1024;
const MAX_URI_LENGTH = 2_048;
const MAX_REFUSED = 100;
const KINDS: readonly (keyof AppCsp)[] = [
  'connectDomains',
  'resourceDomains',
  'frameDomains',
  'baseUriDomains',
];
/** Media type of an app. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/**
 * Returns the capability by which a host tells servers that it shows apps: `extensions` of `createHost()`, or `capabilities.extensions` of
 * a `Client` of an official SDK.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Client (Host) Capabilities)
 * @example
 * const host = createHost({ name: 'my-agent', version: '1.0.0', extensions: appsExtension(), transports });
 */
export function appsExtension(): { 'io.modelcontextprotocol/ui': { mimeTypes: string[] } } {
  return { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_MIME_TYPE] } };
}

/**
 * Reads the result of `resources/read` for the URI of an app: checks URI, media type and size, and builds the
 * Content-Security-Policy and the `allow` attribute from `_meta.ui`. Whatever is malformed in the metadata is left out, so that a
 * mistake restricts the app and never frees it. Needs no host: a program on an official SDK passes what `client.readResource()`
 * returned.
 * @throws {FittingsError} `PROTOCOL_VIOLATION` if the result is not an app, `MESSAGE_TOO_LARGE` if its HTML exceeds `maxHtmlBytes`.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (UI Resource Format)
 */
export function readApp(
  uri: string,
  { contents }: ResourceResult,
  options: ReadAppOptions = {},
  {
    server = '',
    listing,
  }: {
    /** Name of the server, for errors and for the callbacks of the options. Default: an empty string. */
    readonly server?: string | undefined;
    /** The resource in the list of the server. Its `_meta.ui` counts if what was read has none. Default: it is not listed. */
    readonly listing?: Pick<ResourceDefinition, '_meta'> | undefined;
  } = {},
): AppResource {
  const violation = (why: string): FittingsError =>
    new FittingsError(
      'PROTOCOL_VIOLATION',
      `The app "${showUri(uri)}"${of(server)} cannot be shown: ${why}.`,
      {
        ...(server !== '' && { server }),
        hint: 'Report it to the author of the server. The result of the tool can be shown as text.',
      },
    );
  if (!isAppUri(uri)) throw violation('its URI is not a valid ui:// URI');
  const content = contents.find((each) => each.uri === uri);
  if (content === undefined) throw violation('the server returned no content with its URI');
  if (!isAppType(content.mimeType)) throw violation(`its media type is not ${APP_MIME_TYPE}`);

  const { maxHtmlBytes = DEFAULT_HTML_BYTES } = options;
  const { html, problem } = htmlOf(content, maxHtmlBytes);
  if (problem === 'invalid') throw violation('its content is neither text nor base64 of UTF-8');
  if (problem === 'too large') {
    throw new FittingsError(
      'MESSAGE_TOO_LARGE',
      `The app "${showUri(uri)}"${of(server)} has more than ${maxHtmlBytes} bytes.`,
      { ...(server !== '' && { server }), hint: 'Raise `maxHtmlBytes` if you trust the server.' },
    );
  }
  const meta = [content, listing].find((each) => each?._meta?.['ui'] !== undefined)?._meta;
  return { uri, html, digest: digestOf(html), ...readMetadata(meta, options, server) };
}

/** Returns whether a value can be the URI of an app. Such a URI is passed to its server only, and never fetched. */
export function isAppUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.length <= MAX_URI_LENGTH && /^ui:\/\/[!-~]+$/.test(uri);
}

type AppMetadata = Omit<AppResource, 'uri' | 'html' | 'digest'>;

function readMetadata(meta: unknown, options: ReadAppOptions, server: string): AppMetadata {
  const refused: string[] = [];
  const ui = memberOf({ ui: isRecord(meta) ? meta['ui'] : undefined }, 'ui', refused);
  const declared = memberOf(ui, 'csp', refused);
  const csp: AppCsp = {};
  for (const kind of KINDS) {
    const origins = readDomains(declared[kind], kind, server, options, refused);
    if (origins.length > 0) csp[kind] = origins;
  }
  const permissions = readPermissions(ui['permissions'], options.permissions, refused);
  const { prefersBorder } = ui;
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean') {
    refused.push('"prefersBorder" is neither true nor false.');
  }
  return {
    csp,
    contentSecurityPolicy: contentSecurityPolicy(csp),
    permissions,
    allow: allowAttribute(permissions),
    domain: sandboxDomain(ui['domain'], options, server, refused),
    prefersBorder: typeof prefersBorder === 'boolean' ? prefersBorder : undefined,
    externalDomains: [...new Set(KINDS.flatMap((kind) => csp[kind] ?? []))],
    refused: refused.slice(0, MAX_REFUSED),
  };
}

function memberOf(
  object: Readonly<Record<string, unknown>>,
  name: string,
  refused: string[],
): Readonly<Record<string, unknown>> {
  const value = object[name];
  if (value === undefined) return {};
  if (isRecord(value)) return value;
  refused.push(`"${name}" is not an object.`);
  return {};
}

function sandboxDomain(
  value: unknown,
  { allowSandboxDomain }: ReadAppOptions,
  server: string,
  refused: string[],
): string | undefined {
  if (value === undefined) return undefined;
  const name = typeof value === 'string' && value.length <= 253 ? value.toLowerCase() : '';
  if (!HOST_NAME.test(name)) refused.push('"domain" is not a host name.');
  else if (allowSandboxDomain?.(name, server) === true) return name;
  else refused.push(`"domain": "${name}" is not granted by this host.`);
  return undefined;
}

/** Spaces, letter case and quotes carry no meaning (RFC 9110, section 8.3.1). Other parameters are reserved. */
function isAppType(mimeType: string | undefined): boolean {
  if (mimeType === undefined || mimeType.length > 200) return false;
  const [type, profile, ...others] = mimeType.split(';').map((part) => part.trim().toLowerCase());
  return (
    type === 'text/html' &&
    (profile === 'profile=mcp-app' || profile === 'profile="mcp-app"') &&
    others.length === 0
  );
}

interface ReadHtml {
  readonly html: string;
  readonly problem?: 'invalid' | 'too large' | undefined;
}

/** The size is checked before anything is decoded or copied. */
function htmlOf({ text, blob }: ResourceContents, maxBytes: number): ReadHtml {
  const tooLarge: ReadHtml = { html: '', problem: 'too large' };
  const invalid: ReadHtml = { html: '', problem: 'invalid' };
  if (text !== undefined) {
    return text.length > maxBytes || Buffer.byteLength(text) > maxBytes ? tooLarge : { html: text };
  }
  if (blob === undefined) return invalid;
  if (blob.length > Math.ceil(maxBytes / 3) * 4) return tooLarge;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(blob)) return invalid;
  try {
    const bytes = Buffer.from(blob, 'base64');
    if (bytes.length > maxBytes) return tooLarge;
    return { html: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return invalid;
  }
}

const digestOf = (html: string): string => `sha256:${createHash('sha256').update(html).digest('hex')}`;
const of = (server: string): string =>
  server === '' ? '' : ` of the server "${escapeText(server, { maxLength: 128 })}"`;
/** Writes the URI of an app in a message. */
export const showUri = (uri: string): string => escapeText(uri, { maxLength: 200 });
