import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import type { Fetcher } from '../library-fetch.js';
import { isJsonType } from './json-type.js';

/** Reads JSON documents whose address may be right or wrong: discovery tries several. */
export interface DocumentReader {
  /** The document, or undefined when there is none at this address: not found, refused, not JSON, or not typed as JSON. */
  read(url: URL, headers?: Readonly<Record<string, string>>): Promise<Record<string, unknown> | undefined>;
  /**
   * The first failure that may pass (a server error, no connection). When no document was found, it is the truth about why,
   * and "there is none" would be a lie.
   */
  readonly trouble: FittingsError | undefined;
  /** By origin, the first failure that will not pass: what policy forbids, a certificate, no such host. */
  readonly obstacles: ReadonlyMap<string, FittingsError>;
}

export function createDocumentReader(network: Fetcher, server: string, signal?: AbortSignal): DocumentReader {
  let trouble: FittingsError | undefined;
  let requests = 0;
  const obstacles = new Map<string, FittingsError>();
  return {
    async read(url, headers = {}) {
      // Whatever a server lists: one refusal does not cause more than this.
      if (++requests > MAX_REQUESTS) return undefined;
      try {
        const response = await network.fetch(url, {
          headers: { accept: 'application/json', ...headers },
          redirect: 'error',
          signal,
        });
        if (response.status >= 500) {
          trouble ??= new FittingsError(
            'SERVER_ERROR',
            `${url.origin} answered ${response.status} to discovery.`,
            {
              server,
              details: { status: response.status, url: url.origin },
            },
          );
        }
        if (response.status !== 200 || !isJsonType(response)) {
          await response.body?.cancel();
          if (response.status === 200 && !obstacles.has(url.origin))
            obstacles.set(url.origin, notJson(url, server));
          return undefined;
        }
        const document: unknown = JSON.parse(await response.text());
        return isRecord(document) ? document : undefined;
      } catch (error) {
        if (error instanceof SyntaxError) return undefined;
        if (!(error instanceof FittingsError) || error.code === 'ABORTED') throw error;
        if (error.kind === 'network-temporary') trouble ??= error;
        else if (!obstacles.has(url.origin)) obstacles.set(url.origin, error);
        // What policy forbids, or what can never work, is as good as not there.
        return undefined;
      }
    },
    get trouble() {
      return trouble;
    },
    obstacles,
  };
}

/** Two or three places of the resource's metadata, and as many of each of three authorization servers. */
const MAX_REQUESTS = 16;

function notJson({ origin }: URL, server: string): FittingsError {
  return new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `${origin} answered discovery with something other than application/json.`,
    { server, hint: 'Metadata must be served with the content type application/json.' },
  );
}

/** The text at this member; undefined for anything else. */
export function textOf(document: Readonly<Record<string, unknown>>, member: string): string | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The list of texts at this member; undefined for anything else. */
export function textsOf(
  document: Readonly<Record<string, unknown>>,
  member: string,
): readonly string[] | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}
