import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import type { Fetcher } from '../library-fetch.js';

/** Reads JSON documents whose address may be right or wrong: discovery tries several. */
export interface DocumentReader {
  /** The document, or undefined when there is none at this address: not found, refused, or not JSON. */
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
  const obstacles = new Map<string, FittingsError>();
  return {
    async read(url, headers = {}) {
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
        if (response.status !== 200) return undefined;
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
