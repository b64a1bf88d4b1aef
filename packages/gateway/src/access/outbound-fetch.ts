import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { withTimeout } from '@mcp-fittings/toolbox/timing';

/** A `fetch` that a program may replace, for example to use a proxy or a certificate authority of its own. */
export type OutboundFetch = (
  url: string,
  init: {
    /** HTTP method. */
    readonly method: string;
    /** Headers of the request. */
    readonly headers: Readonly<Record<string, string>>;
    /** Body of the request; absent for `GET`. */
    readonly body?: string | URLSearchParams | Uint8Array<ArrayBuffer> | undefined;
    /** Redirects must not be followed. */
    readonly redirect: 'manual';
    /** Ends the request. */
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/** Second argument of the `fetch` that the functions of `oauth4webapi` call. */
interface LibraryRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | Uint8Array<ArrayBuffer> | null | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the `fetch` for requests to an issuer: redirects are not followed, the body is read to its end and is at most 1 MiB, and
 * the exchange takes at most ten seconds. Rejects with `TIMEOUT` or `MESSAGE_TOO_LARGE`, and with what `fetch` rejects with.
 */
export function createOutboundFetch(
  fetch: OutboundFetch | undefined,
  clock: Clock,
): (url: string, request: LibraryRequest) => Promise<Response> {
  const send: OutboundFetch =
    fetch ?? ((url, init) => globalThis.fetch(url, { ...init, body: init.body ?? null }));
  return (url, { method, headers, body = null }) =>
    withTimeout({ ms: TIMEOUT_MS, clock, error: () => tooSlow(url) }, async (signal) => {
      const init = { method, headers, redirect: 'manual', signal } as const;
      const response = await send(url, body === null ? init : { ...init, body });
      const bytes = await readBody(response, url);
      const { status } = response;
      return new Response(bytes.length === 0 ? null : bytes, { status, headers: response.headers });
    });
}

async function readBody(response: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw tooLarge(url);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function tooSlow(url: string): FittingsError {
  return new FittingsError('TIMEOUT', `${new URL(url).origin} did not answer within ${TIMEOUT_MS} ms.`);
}

function tooLarge(url: string): FittingsError {
  return new FittingsError(
    'MESSAGE_TOO_LARGE',
    `The response of ${new URL(url).origin} is larger than ${MAX_BYTES} bytes.`,
  );
}
