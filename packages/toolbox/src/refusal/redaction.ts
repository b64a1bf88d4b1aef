import { createRedactor, type Redactor } from '../text/redact.js';

/**
 * Returns parts of a request that a server may repeat and an error must not show: whole header values, what follows the scheme of a
 * credential, both halves of `Basic` credentials, the values of cookies, and the values in the query of the URL.
 */
function secretsOf(headers: Readonly<Record<string, string>>, url?: URL): readonly string[] {
  const secrets = url === undefined ? [] : [...url.searchParams.values()];
  for (const [name, value] of Object.entries(headers)) {
    if (PUBLIC.has(name.toLowerCase())) continue;
    secrets.push(value, value.slice(value.indexOf(' ') + 1), value.slice(value.lastIndexOf(' ') + 1));
    if (/^basic /i.test(value)) secrets.push(...halvesOf(value.slice('basic '.length).trim()));
    if (name.toLowerCase() === 'cookie') {
      for (const cookie of value.split(';')) secrets.push(cookie.slice(cookie.indexOf('=') + 1).trim());
    }
  }
  return secrets.filter((secret) => secret !== '');
}

/** Set by the transports. Their values are ordinary words that a message may contain by chance. */
const PUBLIC: ReadonlySet<string> = new Set([
  'accept',
  'cache-control',
  'content-type',
  'mcp-method',
  'mcp-protocol-version',
  'user-agent',
]);

function halvesOf(base64: string): readonly string[] {
  const pair = Buffer.from(base64, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? [] : [pair, pair.slice(0, colon), pair.slice(colon + 1)];
}

/** Tokens change, and a server does not repeat one that it got long ago. */
const KEPT = 64;

/** Removes the secrets of one connection from texts of its server, which may repeat them. */
export class RequestRedactor {
  readonly #always: readonly string[];
  readonly #learned = new Set<string>();
  /** Created only when an error needs it: most connections never have one. */
  #redactor: Redactor | undefined;
  /** The headers of the latest request, whose values are all learned. */
  #latest: Readonly<Record<string, string>> | undefined;

  /**
   * @param headers Headers that every request of the connection has.
   * @param url URL of the server, whose query may hold secrets.
   */
  constructor(headers: Readonly<Record<string, string>>, url?: URL) {
    this.#always = secretsOf(headers, url);
  }

  /** Replaces every known secret in a text. */
  readonly redact: Redactor = (text, cut) => {
    this.#redactor ??= createRedactor([...this.#always, ...this.#learned]);
    return this.#redactor(text, cut);
  };

  /** Call it before headers, or a URL with a query, are sent: their values are secrets from now on. Do not change the headers later. */
  learn(headers: Readonly<Record<string, string>>, url?: URL): void {
    if (url === undefined && headers === this.#latest) return;
    this.#latest = headers;
    for (const secret of secretsOf(headers, url)) this.learnValue(secret);
  }

  /** Call it before one secret value is sent, such as a session id. */
  learnValue(value: string): void {
    if (this.#learned.has(value)) return;
    this.#learned.add(value);
    this.#redactor = undefined;
    if (this.#learned.size <= KEPT) return;
    this.#learned.delete(this.#learned.values().next().value ?? '');
    // It may have been one of these.
    this.#latest = undefined;
  }
}
