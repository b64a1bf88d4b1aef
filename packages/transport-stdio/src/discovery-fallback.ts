import type {
  Clock,
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
} from '@mcp-fittings/client-core';
import { answersId, isMessage, isRequest, isResponse, META, RPC_CODES } from '@mcp-fittings/toolbox/messages';

/**
 * Lets a client send `server/discover` first without losing servers that are older than it: some of them exit at any request
 * before `initialize`, some never answer. The former are started once more; for the latter the wait ends. Either way the
 * client receives "method not found", as from every other old server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle (version negotiation)
 */
export interface DiscoveryFallback {
  /** Only discovery requests, and a handshake after one, have been sent. */
  readonly isUp: boolean;
  /** A message is being sent to the server. */
  sent(message: JSONRPCMessage): void;
  /** A value arrived. Returns true if it answers a request that the client already has an answer to, so it must not get it. */
  received(value: unknown): boolean;
  /**
   * The server has ended. Returns what to do if it has to be started again, which happens once: `answers` are for the
   * client, `replay` is for the new server. Returns undefined if discovery is not the reason, for example because the server
   * did not read the request.
   */
  take(end: { readonly leftUnread: boolean }): SecondStart | undefined;
  stop(): void;
}

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

export function createDiscoveryFallback(options: DiscoveryFallbackOptions): DiscoveryFallback {
  const { clock, timeoutMs, onSilence, ping } = options;
  let state: 'fresh' | 'up' | 'down' = 'fresh';
  let sent: JSONRPCRequest[] = [];
  let timers: Disposable[] = [];
  /** Discovery requests that the server was too slow to answer. */
  const givenUp = new Set<RequestId>();
  /** A ping was sent and is not answered yet. */
  let isAsked = false;

  const disposeTimers = (): void => {
    for (const timer of timers) timer[Symbol.dispose]();
    timers = [];
  };
  const drop = (): void => {
    state = 'down';
    sent = [];
    disposeTimers();
  };

  const schedule = (task: () => void, ms: number): void => {
    timers.push(clock.schedule(task, ms, { unref: true }));
  };
  const giveUp = (): void => {
    for (const message of sent.filter(isProbe)) {
      if (givenUp.has(message.id)) continue;
      givenUp.add(message.id);
      onSilence(notFound(message, 'The server does not answer this request.', { reason: 'silent' }));
    }
  };
  // A server that is still starting is silent too. Only one that answers something else does not know the method.
  const ask = (): void => {
    isAsked = true;
    ping(pingAfter(sent.findLast(isProbe)));
  };

  return {
    get isUp() {
      return state === 'up';
    },
    sent(message) {
      if (state === 'down') return;
      const probes = isProbe(message);
      // Only what may be sent twice is kept: the discovery request, and the handshake of a client that did not wait for it.
      const holds = probes || (state === 'up' && isRequest(message) && message.method === HANDSHAKE);
      if (!holds || !isRequest(message)) return drop();
      state = 'up';
      sent.push(message);
      // A client that sends something else has stopped waiting.
      if (!probes) disposeTimers();
      else if (timeoutMs > 0) schedule(ask, timeoutMs);
    },
    received(value) {
      if (isAsked && isMessage(value) && isResponse(value) && value.id === PING_ID) {
        isAsked = false;
        const knowsDiscovery = 'error' in value && value.error.code === VERSION_REFUSED;
        if (state === 'up' && !knowsDiscovery) schedule(giveUp, Math.min(timeoutMs, LATE_MS));
        return true;
      }
      if (state === 'fresh' || (state === 'down' && givenUp.size === 0)) return false;
      if (!isMessage(value) || !isResponse(value)) return false;
      drop();
      const late = [...givenUp].find((id) => answersId(value.id, id));
      return late !== undefined && givenUp.delete(late);
    },
    take({ leftUnread }) {
      if (state !== 'up' || leftUnread) return undefined;
      const answers = sent
        .filter(isProbe)
        .map((probe) => notFound(probe, 'The server exited on this request and was started again.'));
      const replay = sent.filter((message) => !isProbe(message));
      drop();
      return { answers, replay };
    },
    stop: drop,
  };
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
  return {
    jsonrpc: '2.0',
    id: probe.id,
    error: { code: RPC_CODES.methodNotFound, message, ...(data !== undefined && { data }) },
  };
}
