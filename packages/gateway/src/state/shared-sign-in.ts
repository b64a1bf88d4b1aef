import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { UpstreamSignIn } from '../contracts/access.js';
import type { ReplicaLink } from './replica-link.js';

const KIND = 'sign-in-page';
/** Status of the page that says that there is no such sign-in, or not any more. */
const NOT_HERE = 404;
/** Headers by which a page recognizes the browser, and that it is a navigation. */
const PASSED_ON = ['cookie', 'purpose', 'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-purpose'];

/**
 * Lets every replica answer requests to the pages of all. A page, with what the browser has proved, is in the memory of the replica that
 * opened it; a replica that does not know it asks the others. Requests to pages have no body.
 */
export function shareSignIn(signIn: UpstreamSignIn, replicas: ReplicaLink): UpstreamSignIn {
  replicas.answer(KIND, async (body): Promise<RelayedPage> => {
    if (!isRelayedRequest(body)) return {};
    const { url, method, headers } = body;
    const response = await signIn.respond(new Request(url, { method, headers: headers.map(pairOf) }));
    if (response === undefined || response.status === NOT_HERE) return {};
    return { status: response.status, headers: [...response.headers], text: await response.text() };
  });

  const elsewhere = async (request: Request): Promise<Response | undefined> => {
    const { url, method } = request;
    const headers = PASSED_ON.flatMap((name) => {
      const value = request.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const asked = (await replicas.others()).map(async (replica) => {
      const page = await replicas.ask(replica, KIND, { url, method, headers }, { signal: request.signal });
      const response = readPage(page);
      if (response === undefined) throw new Error('The page is not there.');
      return response;
    });
    return Promise.any(asked).catch(() => undefined);
  };

  return {
    open: (caller, server) => signIn.open(caller, server),
    async respond(request) {
      const response = await signIn.respond(request);
      if (response?.status !== NOT_HERE) return response;
      return (await elsewhere(request).catch(() => undefined)) ?? response;
    },
  };
}

interface RelayedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly unknown[];
}

/** A page of another replica. Nothing: it does not have the page. */
interface RelayedPage {
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly text?: string;
}

function readPage(page: unknown): Response | undefined {
  if (!isRecord(page)) return undefined;
  const { status, headers, text } = page;
  if (typeof status !== 'number' || !Array.isArray(headers) || typeof text !== 'string') return undefined;
  // A redirect has no body; each cookie has a header of its own.
  return new Response(text === '' ? null : text, { status, headers: headers.map(pairOf) });
}

function pairOf(pair: unknown): [string, string] {
  return Array.isArray(pair) ? [String(pair[0]), String(pair[1])] : ['x-invalid', ''];
}

function isRelayedRequest(value: unknown): value is RelayedRequest {
  if (!isRecord(value) || !Array.isArray(value['headers'])) return false;
  return typeof value['url'] === 'string' && typeof value['method'] === 'string';
}
