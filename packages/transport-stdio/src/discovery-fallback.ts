import type {
  Clock,
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
} from '@mcp-fittings/client-core';
import { answersId, isMessage, isRequest, isResponse, META, RPC_CODES } from '@mcp-fittings/toolbox/messages';

export interface SecondStart {
  readonly answers: readonly JSONRPCErrorResponse[];
  readonly replay: readonly JSONRPCRequest[];
}

export interface DiscoveryFallbackOptions {
  readonly clock: Clock;
  /** 0 leaves the time-out to the client. */
  readonly timeoutMs: number;
  /** Called with an answer for the client when the server runs and does not answer the discovery. */
  readonly onSilence: (answer: JSONRPCErrorResponse) => void;
  /** Sends a ping to find out whether the server runs; its answer goes to {@link DiscoveryFallback.received}. */
  readonly ping: (ping: JSONRPCRequest) => void;
}

const PROBE = 'server/discover';
const HANDSHAKE = 'initialize';
const PING_ID = 'mcp-fittings:are-you-up';
/** Names a revision that no server supports. */
const NO_REVISION = '9999-12-31';
/** Code with which a server of 2026-07-28 or later refuses a revision. */
const VERSION_REFUSED = -32_022;
/** A server that has answered the ping has read the discovery request before it, so that answer is at most this late, in ms. */
const LATE_MS = 1000;

/**
 * Lets a client send `server/discover` first without losing servers that are older than it: some of them exit at any request
 * before `initialize`, some never answer. The former are started once more; for the latter the wait ends. Either way the
 * client receives "method not found", as from every other old server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle (version negotiation)
 */
export class DiscoveryFallback {
  readonly #options: DiscoveryFallbackOptions;
  #state: 'fresh' | 'up' | 'down' = 'fresh';
  #sent: JSONRPCRequest[] = [];
  readonly #timers: Disposable[] = [];
  /** Discovery requests that the server was too slow to answer. */
  readonly #givenUp = new Set<RequestId>();
  /** A ping was sent and is not answered yet. */
  #isAsked = false;

  constructor(options: DiscoveryFallbackOptions) {
    this.#options = options;
  }

  /** Only discovery requests, and a handshake after one, have been sent. */
  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** A message is being sent to the server. */
  sent(message: JSONRPCMessage): void {
    if (this.#state === 'down') return;
    const probes = isProbe(message);
    // Only what may be sent twice is kept: the discovery request, and the handshake of a client that did not wait for it.
    const holds = probes || (this.isUp && isRequest(message) && message.method === HANDSHAKE);
    if (!holds || !isRequest(message)) return this.stop();
    this.#state = 'up';
    this.#sent.push(message);
    const { timeoutMs } = this.#options;
    // A client that sends something else has stopped waiting.
    if (!probes) this.#disposeTimers();
    else if (timeoutMs > 0) this.#schedule(() => this.#ask(), timeoutMs);
  }

  /** A value arrived. Returns true if it answers a request that the client already has an answer to, so it must not get it. */
  received(value: unknown): boolean {
    if (this.#isAsked && isMessage(value) && isResponse(value) && value.id === PING_ID) {
      this.#isAsked = false;
      const knowsDiscovery = 'error' in value && value.error.code === VERSION_REFUSED;
      if (this.isUp && !knowsDiscovery)
        this.#schedule(() => this.#giveUp(), Math.min(this.#options.timeoutMs, LATE_MS));
      return true;
    }
    if (this.#state === 'fresh' || (this.#state === 'down' && this.#givenUp.size === 0)) return false;
    if (!isMessage(value) || !isResponse(value)) return false;
    this.stop();
    const late = [...this.#givenUp].find((id) => answersId(value.id, id));
    return late !== undefined && this.#givenUp.delete(late);
  }

  /**
   * The server has ended. Returns what to do if it has to be started again, which happens once: `answers` are for the
   * client, `replay` is for the new server. Returns undefined if discovery is not the reason, for example because the server
   * did not read the request.
   */
  take({ leftUnread }: { readonly leftUnread: boolean }): SecondStart | undefined {
    if (!this.isUp || leftUnread) return undefined;
    const answers = this.#sent
      .filter(isProbe)
      .map((probe) => notFound(probe, 'The server exited on this request and was started again.'));
    const replay = this.#sent.filter((message) => !isProbe(message));
    this.stop();
    return { answers, replay };
  }

  stop(): void {
    this.#state = 'down';
    this.#sent = [];
    this.#disposeTimers();
  }

  #disposeTimers(): void {
    for (const timer of this.#timers.splice(0)) timer[Symbol.dispose]();
  }

  #schedule(task: () => void, ms: number): void {
    this.#timers.push(this.#options.clock.schedule(task, ms, { unref: true }));
  }

  #giveUp(): void {
    for (const message of this.#sent.filter(isProbe)) {
      if (this.#givenUp.has(message.id)) continue;
      this.#givenUp.add(message.id);
      this.#options.onSilence(
        notFound(message, 'The server does not answer this request.', { reason: 'silent' }),
      );
    }
  }

  /** Finds out whether the server runs. One that is still starting is silent too; only one that answers this does not know the method. */
  #ask(): void {
    this.#isAsked = true;
    this.#options.ping(pingAfter(this.#sent.findLast(isProbe)));
  }
}

function isProbe(message: JSONRPCMessage): boolean {
  return isRequest(message) && message.method === PROBE;
}

/**
 * Returns a request that servers of every era answer, if only with an error, and that changes the state of none: an older server
 * does not read the revision, and a newer one refuses it. A ping without a revision would begin a session of the older era.
 */
function pingAfter(probe: JSONRPCRequest | undefined): JSONRPCRequest {
  const _meta = { ...probe?.params?._meta, [META.protocolVersion]: NO_REVISION };
  return { jsonrpc: '2.0', id: PING_ID, method: 'ping', params: { _meta } };
}

function notFound(probe: JSONRPCRequest, why: string, data?: object): JSONRPCErrorResponse {
  const message = `Method not found: ${probe.method}. ${why}`;
  return { jsonrpc: '2.0', id: probe.id, error: { code: RPC_CODES.methodNotFound, message, data } };
}
