import {
  isMessage,
  isRequest,
  isResponse,
  RPC_CODES,
  type Clock,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@mcp-fittings/client-core/transport';

/**
 * Lets a client ask `server/discover` first without losing the servers that are older than it: some of them exit at
 * any request before `initialize`, some never answer. Such a server is started once more, or given up waiting for,
 * and the client reads "method not found", as from every other old server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle (version negotiation)
 */
export interface ProbeShield {
  /** Nothing but probes, and a handshake after one, was sent. */
  readonly isUp: boolean;
  /** A message goes to the server. */
  sent(message: JSONRPCMessage): void;
  /** Something came from the server. True: it answers a probe that the client has an answer to, and is not for it. */
  received(value: unknown): boolean;
  /**
   * The server has ended. Undefined: it is no matter of the shield, also when it left the probe unread, because then it
   * ended for another reason. Otherwise the server should be started again, once: `answers` are for the client, `replay`
   * is for the new server.
   */
  take(end: { readonly leftUnread: boolean }): SecondStart | undefined;
  stop(): void;
}

export interface SecondStart {
  readonly answers: readonly JSONRPCErrorResponse[];
  readonly replay: readonly JSONRPCRequest[];
}

export interface ProbeShieldOptions {
  readonly clock: Clock;
  /** 0: silence is left to the client. */
  readonly timeoutMs: number;
  /** The server is up and stays silent: this is for the client. */
  readonly onSilence: (answer: JSONRPCErrorResponse) => void;
  /** Sends this to the server, to find out whether it is up; its answer comes to {@link ProbeShield.received}. */
  readonly askLife: (ping: JSONRPCRequest) => void;
}

const PROBE = 'server/discover';
const HANDSHAKE = 'initialize';
/** A request that servers of each era answer before the handshake, if only with an error. */
const PING: JSONRPCRequest = { jsonrpc: '2.0', id: 'mcp-fittings:are-you-up', method: 'ping' };
/** A server that has answered the ping has read the probe before it; its answer is at most this late, milliseconds. */
const LATE_MS = 1000;

export function createProbeShield(options: ProbeShieldOptions): ProbeShield {
  const { clock, timeoutMs, onSilence, askLife } = options;
  let state: 'fresh' | 'up' | 'down' = 'fresh';
  let sent: JSONRPCRequest[] = [];
  let timers: Disposable[] = [];
  /** Probes that the server was too slow to answer. */
  const givenUp = new Set<RequestId>();
  /** The server was asked whether it is up, and has not answered. */
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
      onSilence(notFound(message, 'The server does not answer it.', { reason: 'silent' }));
    }
  };
  // A server that is still starting is silent too: only one that answers something else does not know the probe.
  const ask = (): void => {
    isAsked = true;
    askLife(PING);
  };

  return {
    get isUp() {
      return state === 'up';
    },
    sent(message) {
      if (state === 'down') return;
      const probes = isProbe(message);
      // Only what may be sent twice is held: the probe, and the handshake of a client that did not wait for its answer.
      const holds = probes || (state === 'up' && isRequest(message) && message.method === HANDSHAKE);
      if (!holds || !isRequest(message)) return drop();
      state = 'up';
      sent.push(message);
      // A client that goes on has given up waiting by itself.
      if (!probes) disposeTimers();
      else if (timeoutMs > 0) schedule(ask, timeoutMs);
    },
    received(value) {
      if (isAsked && isMessage(value) && isResponse(value) && value.id === PING.id) {
        isAsked = false;
        if (state === 'up') schedule(giveUp, Math.min(timeoutMs, LATE_MS));
        return true;
      }
      if (state === 'fresh' || (state === 'down' && givenUp.size === 0)) return false;
      if (!isMessage(value) || !isResponse(value)) return false;
      drop();
      return value.id !== undefined && givenUp.delete(value.id);
    },
    take({ leftUnread }) {
      if (state !== 'up' || leftUnread) return undefined;
      const answers = sent
        .filter(isProbe)
        .map((probe) => notFound(probe, 'The server ended on it and was started again.'));
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

function notFound(probe: JSONRPCRequest, why: string, data?: object): JSONRPCErrorResponse {
  const message = `Method not found: ${probe.method}. ${why}`;
  return {
    jsonrpc: '2.0',
    id: probe.id,
    error: { code: RPC_CODES.methodNotFound, message, ...(data !== undefined && { data }) },
  };
}
