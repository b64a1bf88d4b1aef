import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { type Fetcher, isJsonType, temporaryCode } from '../protocol/endpoint.js';

/** Two or three URLs of the protected resource metadata, and as many of each of three authorization servers. */
const MAX_REQUESTS = 16;

/** Reads the JSON documents of one discovery, which tries several URLs. */
export class MetadataReader {
  readonly #network: Fetcher;
  readonly #server: string;
  readonly #signal: AbortSignal | undefined;
  readonly #lastingFailures = new Map<string, FittingsError>();
  #temporaryFailure: FittingsError | undefined;
  #requests = 0;

  /** `server` is the name of the MCP server, for messages. */
  constructor(network: Fetcher, server: string, signal?: AbortSignal) {
    this.#network = network;
    this.#server = server;
    this.#signal = signal;
  }

  /**
   * The first temporary failure (a server error or limit, no connection). If no document was found, report it instead of "there is no
   * metadata", which is not known then.
   */
  get temporaryFailure(): FittingsError | undefined {
    return this.#temporaryFailure;
  }

  /** The first lasting failure of each origin: blocked by policy, an invalid certificate, an unknown host. */
  get lastingFailures(): ReadonlyMap<string, FittingsError> {
    return this.#lastingFailures;
  }

  /**
   * Resolves with the document; undefined if none exists at this URL: not found, refused, not JSON, or not served as JSON.
   */
  async read(
    url: URL,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Record<string, unknown> | undefined> {
    // However many URLs a server lists, one refusal causes no more requests than this.
    if (++this.#requests > MAX_REQUESTS) return undefined;
    try {
      const response = await this.#network.fetch(url, {
        headers: { accept: 'application/json', ...headers },
        redirect: 'error',
        signal: this.#signal,
      });
      const temporary = temporaryCode(response.status);
      if (temporary !== undefined) {
        this.#temporaryFailure ??= new FittingsError(
          temporary,
          `${url.origin} answered the request for OAuth metadata with status ${response.status}.`,
          { server: this.#server, details: { status: response.status, url: url.origin } },
        );
      }
      if (response.status !== 200 || !isJsonType(response)) {
        await response.body?.cancel();
        if (response.status === 200) this.#addLasting(url, notJson(url, this.#server));
        return undefined;
      }
      const document: unknown = JSON.parse(await response.text());
      return isRecord(document) ? document : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      if (!(error instanceof FittingsError) || error.code === 'ABORTED') throw error;
      if (error.kind === 'network-temporary') this.#temporaryFailure ??= error;
      else this.#addLasting(url, error);
      // A document that policy blocks counts as missing, so that the next URL is tried.
      return undefined;
    }
  }

  #addLasting({ origin }: URL, failure: FittingsError): void {
    if (!this.#lastingFailures.has(origin)) this.#lastingFailures.set(origin, failure);
  }
}

function notJson({ origin }: URL, server: string): FittingsError {
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `${origin} served OAuth metadata that is not application/json.`,
    { server, hint: 'Ask its owner to serve the metadata with the content type application/json.' },
  );
}
