import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { aborted, sleep } from '@mcp-fittings/toolbox/timing';
import type { EngineCallbacks } from '../contracts/engine.js';
import type { CallInFlight } from '../contracts/server-requests.js';
import type { ServerDeps } from '../setup/server-deps.js';
import { SharedWork } from '../shared-work.js';

/** @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error */
const URL_ELICITATION_REQUIRED = -32042;
const PAGE_DONE = 'notifications/elicitation/complete';
/** Most pages of a refusal. One that names more is treated as any other error. */
const MAX_PAGES = 8;
const MAX_TEXT = 8192;
/** Longest time to wait for the server's report after the user's answer, in milliseconds. Some servers never send it. */
const COMPLETION_MS = 3000;
/** Completed pages to remember, because the report may arrive before the user is asked. */
const COMPLETED_KEPT = 64;

interface Page {
  readonly elicitationId: string;
  readonly url: string;
  readonly message: string;
}

/** The question to the user about one page. Calls that are refused because of the same page share it. */
interface Visit {
  readonly answer: SharedWork<boolean>;
  /** Aborted when the server reports that the page is done. */
  readonly completed: AbortController;
}

/** Pages that a server requires the user to visit before it carries out a request (JSON-RPC error -32042). */
export class UrlElicitations {
  readonly #shared: Pick<ServerDeps, 'server' | 'clock'>;
  readonly #callbacks: EngineCallbacks;
  readonly #onError: (error: unknown) => void;
  readonly #completed = new RecentMap<string, true>(COMPLETED_KEPT);
  readonly #visits = new Map<string, Visit>();

  constructor(
    shared: Pick<ServerDeps, 'server' | 'clock'>,
    callbacks: EngineCallbacks,
    onError: (error: unknown) => void,
  ) {
    this.#shared = shared;
    this.#callbacks = callbacks;
    this.#onError = onError;
  }

  /**
   * Asks the user to visit every page that the refusal names. Resolves with `true` if the user has visited all of them, so
   * that the request is worth retrying; `false` if it is another error, or if an answer was not `accept`.
   */
  async visitPages(refusal: unknown, call: CallInFlight, signal: AbortSignal | undefined): Promise<boolean> {
    const pages = pagesOf(refusal);
    const { elicit, elicitationModes = ['url'] } = this.#callbacks;
    if (pages.length === 0 || elicit === undefined || !elicitationModes.includes('url')) return false;
    for (const page of pages) {
      if (!(await this.#visitOnce(page, call, signal))) return false;
    }
    return true;
  }

  /** Call it with each notification of the server: one of them reports that a page is done. */
  notified(method: string, { elicitationId: id }: JSONRPCObject): void {
    if (method !== PAGE_DONE || typeof id !== 'string' || id.length > MAX_TEXT) return;
    this.#completed.set(id, true);
    this.#visits.get(id)?.completed.abort();
  }

  #visitOnce(page: Page, call: CallInFlight, signal: AbortSignal | undefined): Promise<boolean> {
    const { server } = this.#shared;
    const visit = this.#visits.get(page.elicitationId) ?? this.#begin(page, call);
    return visit.answer.join(signal, () => {
      const text = `The caller aborted the call while the server "${server}" waited for the user to visit a page.`;
      return new FittingsError('ABORTED', text, { server, cause: signal?.reason, delivery: 'rejected' });
    });
  }

  #begin(page: Page, call: CallInFlight): Visit {
    const id = page.elicitationId;
    const completed = new AbortController();
    if (this.#completed.has(id)) completed.abort();
    const answer = new SharedWork((over) =>
      this.#ask(page, call, over, aborted(completed.signal)).finally(() => {
        // Withdraws the question.
        over.abort();
        this.#visits.delete(id);
      }),
    );
    const visit: Visit = { answer, completed };
    this.#visits.set(id, visit);
    return visit;
  }

  async #ask(
    page: Page,
    call: CallInFlight,
    { signal }: AbortController,
    completion: Promise<void>,
  ): Promise<boolean> {
    const { server, clock } = this.#shared;
    try {
      const request = { mode: 'url', ...page, warnings: [] } as const;
      const asked = this.#callbacks.elicit?.(request, { server, signal, call });
      const answer = await Promise.race([asked, completion]);
      // The server reported completion before the user answered: the question is withdrawn.
      if (answer === undefined) {
        asked?.catch(() => undefined);
        return true;
      }
      if (answer.action !== 'accept') return false;
      const late = sleep(COMPLETION_MS, { clock, signal }).catch(() => undefined);
      await Promise.race([completion, late]);
      return true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }
}

/** Returns whether a server refuses a request until the user has visited a page. */
export function requiresPage(failure: unknown): failure is FittingsError {
  return failure instanceof FittingsError && failure.details['rpcCode'] === URL_ELICITATION_REQUIRED;
}

/** Returns the pages of a refusal; none if it is another error or malformed. */
function pagesOf(refusal: unknown): readonly Page[] {
  if (!requiresPage(refusal)) return [];
  const { cause } = refusal;
  const data: unknown = cause instanceof Error && 'data' in cause ? cause.data : undefined;
  const pages: unknown = isRecord(data) ? data['elicitations'] : undefined;
  if (!Array.isArray(pages) || pages.length > MAX_PAGES) return [];
  const read = pages.flatMap((page): readonly Page[] => {
    if (!isRecord(page)) return [];
    const { mode = 'url', elicitationId, url, message = '' } = page;
    const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT;
    if (mode !== 'url' || !isText(elicitationId) || !isText(url) || !isText(message)) return [];
    return [{ elicitationId, url, message }];
  });
  // Visiting some of the pages is not enough.
  return read.length === pages.length ? read : [];
}
