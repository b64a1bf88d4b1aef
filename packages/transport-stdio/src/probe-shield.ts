import type { Clock } from '@mcp-fittings/client-core';
import {
  isMessage,
  isRequest,
  isResponse,
  RPC_CODES,
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
  /** A message goes to the server. */
  sent(message: JSONRPCMessage): void;
  /** Something came from the server. True: it answers a probe that the client has an answer to, and is not for it. */
  received(value: unknown): boolean;
  /**
   * The server has ended. Undefined: it is no matter of the shield. Otherwise the server should be started again, once:
   * `answers` are for the client, `replay` is for the new server.
   */
  take(): SecondStart | undefined;
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
  /** The server stays silent: this is for the client. */
  readonly onSilence: (answer: JSONRPCErrorResponse) => void;
}

const PROBE = 'server/discover';
const HANDSHAKE = 'initialize';

export function createProbeShield(options: ProbeShieldOptions): ProbeShield {
  const { clock, timeoutMs, onSilence } = options;
  let state: 'fresh' | 'up' | 'down' = 'fresh';
  let sent: JSONRPCRequest[] = [];
  let timers: Disposable[] = [];
  /** Probes that the server was too slow to answer. */
  const givenUp = new Set<RequestId>();

  const disposeTimers = (): void => {
    for (const timer of timers) timer[Symbol.dispose]();
    timers = [];
  };
  const drop = (): void => {
    state = 'down';
    sent = [];
    disposeTimers();
  };

  return {
    sent(message) {
      if (state === 'down') return;
      const isProbe = isRequest(message) && message.method === PROBE;
      // Only what may be sent twice is held: the probe, and the handshake of a client that did not wait for its answer.
      const holds = isProbe || (state === 'up' && isRequest(message) && message.method === HANDSHAKE);
      if (!holds || !isRequest(message)) return drop();
      state = 'up';
      sent.push(message);
      // A client that goes on has given up waiting by itself.
      if (!isProbe) disposeTimers();
      if (!isProbe || timeoutMs <= 0) return;
      const giveUp = (): void => {
        givenUp.add(message.id);
        onSilence(notFound(message, 'The server does not answer it.'));
      };
      timers.push(clock.schedule(giveUp, timeoutMs, { unref: true }));
    },
    received(value) {
      if (state === 'fresh' || (state === 'down' && givenUp.size === 0)) return false;
      if (!isMessage(value) || !isResponse(value)) return false;
      drop();
      return value.id !== undefined && givenUp.delete(value.id);
    },
    take() {
      if (state !== 'up') return undefined;
      const isProbe = (message: JSONRPCRequest): boolean => message.method === PROBE;
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

function notFound(probe: JSONRPCRequest, why: string): JSONRPCErrorResponse {
  const message = `Method not found: ${probe.method}. ${why}`;
  return { jsonrpc: '2.0', id: probe.id, error: { code: RPC_CODES.methodNotFound, message } };
}
