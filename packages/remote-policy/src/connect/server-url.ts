import { domainToUnicode } from 'node:url';
import { FittingsError, TransportError } from '@mcp-fittings/client-core/transport';
import { isLocalAddress, isLoopbackHost, isSecure } from './hosts.js';

export interface UrlVerdict {
  readonly url: URL;
  /** What a person should know before this URL is used; none is a reason to stop. Holds no secret. */
  readonly warnings: readonly string[];
}

export interface ServerUrlOptions {
  /** Name of the server, for the error. */
  readonly server?: string | undefined;
  /** Default `http`; either allows its encrypted form too, `https:` or `wss:`. */
  readonly scheme?: 'http' | 'ws' | undefined;
}

/**
 * Parses the URL of a server as a person wrote it. Throws `CONFIG_INVALID` when it is no absolute URL, has another
 * scheme than it may, or holds a user name, a password or a fragment. A connection to a public host that is not encrypted
 * and names that imitate others are warned of. The message never repeats the text, which may hold a secret.
 */
export function checkServerUrl(configured: string | URL, options: ServerUrlOptions = {}): UrlVerdict {
  const { server, scheme = 'http' } = options;
  const [secure, plain] = [`${scheme}s:`, `${scheme}:`];
  const refuse = (message: string, hint: string): FittingsError =>
    new FittingsError('CONFIG_INVALID', message, { server, hint });

  const text = String(configured);
  if (!URL.canParse(text))
    throw refuse('The URL of the server is malformed.', `Write it in full: ${secure}//host/path.`);
  const url = new URL(text);
  if (url.protocol !== secure && url.protocol !== plain) {
    throw refuse(
      `The URL of the server has the scheme ${url.protocol}`,
      `Write a URL that begins with ${secure} or ${plain}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      `The URL of the server (${url.host}) holds a user name or a password.`,
      'Put credentials into `headers`, or sign in.',
    );
  }
  if (url.hash !== '' || url.href.endsWith('#')) {
    throw refuse(`The URL of the server (${url.host}) has a fragment.`, 'Remove what follows the #.');
  }
  return { url, warnings: warningsOf(url) };
}

/**
 * Throws `POLICY_DENIED` unless the connection is encrypted or stays on this machine. For a wire that carries credentials and
 * messages alike; nothing was resolved or sent.
 */
export function refuseUnencrypted(url: URL, server?: string): void {
  if (isSecure(url) || isLoopbackHost(url.hostname)) return;
  throw new TransportError(
    'POLICY_DENIED',
    `The URL of the server (${url.host}) is not encrypted: anyone on the way could read and change messages and credentials.`,
    {
      server,
      delivery: 'not-sent',
      hint: `Use ${url.protocol === 'ws:' ? 'wss' : 'https'}:, or set \`allowInsecure\` on this server if you accept that.`,
      details: { host: url.host },
    },
  );
}

function warningsOf(url: URL): readonly string[] {
  const warnings: string[] = [];
  const { hostname } = url;
  if (!isSecure(url) && !isLoopbackHost(hostname) && !isLocalAddress(hostname)) {
    warnings.push(
      `The connection to ${hostname} is not encrypted: anyone on the way can read and change it.`,
    );
  }
  if (hostname.split('.').some((label) => label.startsWith('xn--'))) {
    warnings.push(
      `The host ${hostname} is written ${domainToUnicode(hostname)}: check that it is not an imitation of another name.`,
    );
  }
  return warnings;
}
