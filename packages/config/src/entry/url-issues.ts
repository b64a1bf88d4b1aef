import type { ServerConfig } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { EntryIssue } from '../problems.js';
import { parseTemplate, type TemplatePart } from '../variables/syntax.js';

const OAUTH_URLS = ['issuer', 'authorizationUrl', 'tokenUrl', 'authServerMetadataUrl', 'redirectUri'];

/** Returns the fields of an entry, with variables expanded, that are not the URLs that they must be. */
export function urlIssues({ type = '', url, proxy, oauth }: ServerConfig): readonly EntryIssue[] {
  const issues: EntryIssue[] = [];
  const refuse = (path: string, wanted: string, hint?: string): void => {
    issues.push({ code: 'FIELD_INVALID', path, message: `"${path}" is not ${wanted}.`, hint });
  };
  const address = typeof url === 'string' ? url : 'https://none';
  if (!URL.canParse(address)) refuse('url', 'an absolute URL');
  else if (['http', 'sse', 'ws'].includes(type) && !/^(?:https?|wss?|unix|pipe):/i.test(address))
    refuse('url', 'an http:, https:, ws:, wss:, unix: or pipe: URL');
  if (typeof url === 'string' && typeof proxy === 'string' && !isProxy(proxy)) {
    refuse('proxy', 'the URL of a proxy', 'Write http://host:port, "env" or "none".');
  }
  if (!isRecord(oauth)) return issues;
  const { identityProvider, allowedEndpointOrigins } = oauth;
  const checked: readonly (readonly [path: string, value: unknown])[] = [
    ...OAUTH_URLS.map((member) => [`oauth.${member}`, oauth[member]] as const),
    ...(isRecord(identityProvider)
      ? [['oauth.identityProvider.issuer', identityProvider['issuer']] as const]
      : []),
    ...(Array.isArray(allowedEndpointOrigins)
      ? allowedEndpointOrigins.map(
          (each: unknown, index) => [`oauth.allowedEndpointOrigins[${String(index)}]`, each] as const,
        )
      : []),
  ];
  for (const [path, value] of checked) {
    if (typeof value === 'string' && !isHttpUrl(value)) refuse(path, 'an absolute http: or https: URL');
  }
  return issues;
}

/**
 * Returns false if the connection to a URL is not encrypted and leaves this machine, also if it could because of a variable that is the
 * host, or a part of it. A variable that begins the URL has its default.
 */
export function isEncryptedOrLocal(text: string): boolean {
  const [first, ...rest] = parseTemplate(text, true);
  const filled = (part: TemplatePart | undefined, value: string): string =>
    part?.kind === 'variable' || part?.kind === 'input' ? value : (part?.text ?? '');
  const defaultOf = (part: TemplatePart | undefined): string =>
    part?.kind === 'variable' ? (part.fallback ?? '0') : '0';
  // Two digits in turn are ports, and two hosts.
  const urls = [defaultOf, () => '0', () => '1'].map(
    (value) => filled(first, defaultOf(first)) + rest.map((part) => filled(part, value(part))).join(''),
  );
  if (!urls.some((url) => /^(?:http|ws):/i.test(url))) return true;
  const hosts = urls.map((url) => (URL.canParse(url) ? new URL(url).hostname : ''));
  return hosts.every((host) => host === hosts[0] && isLoopbackHost(host));
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The scheme may be omitted. A word alone is most likely a mistake for "env" or "none". */
function isProxy(text: string): boolean {
  if (text === 'env' || text === 'none') return true;
  if (text.includes('://')) return isHttpUrl(text);
  return /[.:]|^localhost$/.test(text) && isHttpUrl(`http://${text}`);
}
