import type { ResponseHead } from '../http-client.js';

export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const COOKIES: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

/** Status and headers as callers see them. `raw` has lower-case names. */
export class ReceivedHead implements ResponseHead {
  readonly status: number;
  readonly url: URL;
  readonly #raw: RawHeaders;
  #contentType: string | undefined;

  constructor(status: number, raw: RawHeaders, url: URL) {
    this.status = status;
    this.url = url;
    this.#raw = raw;
  }

  header(name: string): string | undefined {
    const value = Object.hasOwn(this.#raw, name) && !COOKIES.has(name) ? this.#raw[name] : undefined;
    return typeof value === 'object' ? value.join(', ') : value;
  }

  *headers(): Iterable<[name: string, value: string]> {
    for (const name of Object.keys(this.#raw)) {
      const value = this.header(name);
      if (value !== undefined) yield [name, value];
    }
  }

  get contentType(): string {
    this.#contentType ??= mediaTypeOf(this.header('content-type') ?? '');
    return this.#contentType;
  }
}

function mediaTypeOf(header: string): string {
  // The usual spelling, without the cost of splitting.
  if (header === 'application/json' || header === 'text/event-stream') return header;
  return header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The request that follows a redirect. */
export interface NextHop {
  readonly url: URL;
  readonly method: string;
  /** If true, the body is sent again. */
  readonly keepsBody: boolean;
}

/**
 * Returns the request that a redirect asks for, or undefined if the response is not a redirect or its target is not a URL.
 *
 * 301 and 302 keep the method, because a message that became a GET would be lost. Only 303 turns a request into a GET.
 * @see https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4
 */
export function nextHop(
  status: number,
  location: string | undefined,
  from: URL,
  method: string,
): NextHop | undefined {
  const keepsBody = status === 301 || status === 302 || status === 307 || status === 308;
  if ((!keepsBody && status !== 303) || location === undefined) return undefined;
  if (!URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from);
  url.hash = '';
  return { url, method: keepsBody || method === 'HEAD' ? method : 'GET', keepsBody };
}
