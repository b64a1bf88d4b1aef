import type { ResponseHead } from '../http-client.js';

type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

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
