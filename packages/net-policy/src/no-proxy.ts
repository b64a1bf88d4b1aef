import { rangesOf } from './address-ranges.js';
import { bareHost } from './hosts.js';
import { isSecure } from './schemes.js';

/**
 * Whether a `NO_PROXY` list covers a URL. Entries are divided by commas or blanks: `*`, a host with all its
 * sub-domains (`corp.example`, `.corp.example`, `*.corp.example`), an address or a range, each with `:port` or
 * without. What can't be read covers nothing.
 */
export function coversUrl(noProxy: string, url: URL): boolean {
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
    return rangesOf([range]).has(host);
  } catch {
    return false;
  }
}
