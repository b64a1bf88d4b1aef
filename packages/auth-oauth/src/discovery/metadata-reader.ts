import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import type { Fetcher } from '../protocol/guarded-fetch.js';
import { isJsonType } from '../protocol/json.js';

/** Reads the JSON documents of one discovery, which tries several URLs. */
export interface MetadataReader {
  /**
   * Resolves with the document; undefined if none exists at this URL: not found, refused, not JSON, or not served as JSON.
   */
  read(url: URL, headers?: Readonly<Record<string, string>>): Promise<Record<string, unknown> | undefined>;
  /**
   * The first temporary failure (a server error, no connection). If no document was found, report it instead of "there is no
   * metadata", which is not known then.
   */
  readonly temporaryFailure: FittingsError | undefined;
  /** The first lasting failure of each origin: blocked by policy, an invalid certificate, an unknown host. */
  readonly lastingFailures: ReadonlyMap<string, FittingsError>;
}

export function createMetadataReader(network: Fetcher, server: string, signal?: AbortSignal): MetadataReader {
  let temporaryFailure: FittingsError | undefined;
  let requests = 0;
  const lastingFailures = new Map<string, FittingsError>();
  const addLasting = ({ origin }: URL, failure: FittingsError): void => {
    if (!lastingFailures.has(origin)) lastingFailures.set(origin, failure);
  };
  return {
    async read(url, headers = {}) {
      // However many URLs a server lists, one refusal causes no more requests than this.
      if (++requests > MAX_REQUESTS) return undefined;
      try {
        const response = await network.fetch(url, {
          headers: { accept: 'application/json', ...headers },
          redirect: 'error',
          signal,
        });
        if (response.status >= 500) {
          temporaryFailure ??= new FittingsError(
            'SERVER_ERROR',
            `${url.origin} answered the request for OAuth metadata with status ${response.status}.`,
            {
              server,
              details: { status: response.status, url: url.origin },
            },
          );
        }
        if (response.status !== 200 || !isJsonType(response)) {
          await response.body?.cancel();
          if (response.status === 200) addLasting(url, notJson(url, server));
          return undefined;
        }
        const document: unknown = JSON.parse(await response.text());
        return isRecord(document) ? document : undefined;
      } catch (error) {
        if (error instanceof SyntaxError) return undefined;
        if (!(error instanceof FittingsError) || error.code === 'ABORTED') throw error;
        if (error.kind === 'network-temporary') temporaryFailure ??= error;
        else addLasting(url, error);
        // A document that policy blocks counts as missing, so that the next URL is tried.
        return undefined;
      }
    },
    get temporaryFailure() {
      return temporaryFailure;
    },
    lastingFailures,
  };
}

/** Two or three URLs of the protected resource metadata, and as many of each of three authorization servers. */
const MAX_REQUESTS = 16;

function notJson({ origin }: URL, server: string): FittingsError {
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `${origin} served OAuth metadata that is not application/json.`,
    { server, hint: 'Ask its owner to serve the metadata with the content type application/json.' },
  );
}
