import type { ServerConfig } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { EntryIssue } from '../problems.js';
import { parseTemplate } from '../variables/syntax.js';

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

/** Returns true if the connection to a URL, which may have variables, is encrypted or does not leave this machine. */
export function isEncryptedOrLocal(text: string): boolean {
  if (!/^(?:http|ws):/i.test(text)) return true;
  // A variable without a default is most likely a port. One that is the host, or a part of it, could be any host.
  const url = parseTemplate(text, true)
    .map((part) => (part.kind === 'variable' ? (part.fallback ?? '0') : part.text))
    .join('');
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
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
