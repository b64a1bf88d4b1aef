import type { Clock } from '@mcp-fittings/client-core';
import { untilEnd, sleepWithin, type LifetimeSignal } from '../timing/lifetime.js';
import { ChallengeBudget, type Credentials, type RequestRedactor } from './credentials.js';
import {
  readRefusal,
  refusalError,
  type Refusal,
  type RefusedReply,
  type RefusedRequest,
} from './refusal.js';
import { RetryBudget, type RetryLaterOptions } from './retry-later.js';

/** Holds what the requests of one connection share. */
export interface RecoveryOptions {
  /** Signs the requests and answers challenges. */
  readonly credentials: Credentials;
  /** Learns what is sent, so that no error shows it. */
  readonly redactor: RequestRedactor;
  /** Limits how often, and how long, a request waits for a busy server. */
  readonly retryLater: RetryLaterOptions;
  /** Times the waits. */
  readonly clock: Clock;
  /** Source of randomness in [0, 1), which spreads the waits of many clients. */
  readonly random: () => number;
}

/** One request of a remote transport, whichever protocol carries it. */
export interface RemoteRequest<Reply extends { readonly accepted: true }> extends RefusedRequest {
  /** HTTP method, which a DPoP proof contains. */
  readonly method: string;
  /** Returns the URL of the request, if it is not the URL of the server. */
  target?(): URL | undefined;
  /** The request is abandoned when this ends. */
  readonly lifetime: LifetimeSignal;
  /** Runs before each attempt is signed. */
  before?(): Promise<void> | undefined;
  /**
   * Sends the request once. Resolves with the reply when it has been read, or with `undefined` if `lifetime` ended first.
   * Rejects if no reply arrives.
   *
   * @param signed Headers that sign this attempt.
   */
  send(signed: Readonly<Record<string, string>>): Promise<Reply | RefusedReply | undefined>;
  /**
   * Handles a refusal that neither credentials nor waiting overcome. Resolves with `answered` if the refusal is the answer to
   * the request and has been delivered, with `again` to send the request again, or with `undefined` to fail.
   */
  settle?(refusal: Refusal): Promise<'answered' | 'again' | undefined>;
}

const UNSIGNED: Readonly<Record<string, string>> = {};

/**
 * Signs and sends a request, and sends it again if its refusal can be overcome: by other credentials, by waiting for a busy
 * server, or by what the transport knows.
 *
 * Resolves with the accepted reply, or with `undefined` if `lifetime` ended first or the refusal was the answer. Rejects with the
 * error of the last refusal (see `refusalError`), of the auth provider, or of `send`.
 */
export async function sendWithRecovery<Reply extends { readonly accepted: true }>(
  request: RemoteRequest<Reply>,
  options: RecoveryOptions,
): Promise<Reply | undefined> {
  const { credentials, redactor, clock } = options;
  const { method, lifetime } = request;
  let challenges: ChallengeBudget | undefined;
  let retries: RetryBudget | undefined;

  for (;;) {
    const ready = request.before?.();
    if (ready !== undefined) await ready;
    const signed = credentials.signs
      ? await untilEnd(lifetime, credentials.headers(method, request.target?.()))
      : UNSIGNED;
    if (signed === undefined || lifetime.ended) return undefined;
    redactor.learn(signed);

    const reply = await request.send(signed);
    if (reply === undefined || reply.accepted) return reply;

    const unsigned = !credentials.configured && Object.keys(signed).length === 0;
    const refusal = readRefusal(reply, request, clock.now(), unsigned);
    const fail = () => refusalError(refusal, redactor.redact);
    if (refusal.challenge !== undefined) {
      challenges ??= new ChallengeBudget();
      const challenged = { challenge: refusal.challenge, method, signed, refusal: fail };
      await untilEnd(lifetime, credentials.recover(challenged, challenges));
    } else if (refusal.row.meaning === 'retry-later') {
      retries ??= new RetryBudget(options.retryLater, options.random);
      const ms = retries.next(refusal.retryAfterMs);
      if (ms === undefined) throw fail();
      await sleepWithin(lifetime, ms, clock);
    } else {
      const outcome = await request.settle?.(refusal);
      if (outcome === 'answered') return undefined;
      if (outcome === undefined) throw fail();
    }
    if (lifetime.ended) return undefined;
  }
}

/**
 * Requests that change nothing or are idempotent. `tools/call` is not one of them: only a host that knows the tool can tell.
 */
const SAFE: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tools/list',
]);

/**
 * Returns whether the server may carry out a message twice without harm: a request that changes nothing or is idempotent, a
 * notification of the protocol, or a response. Other requests are not sent again after a 429 or 503, because such a status may
 * come from a gateway after the server has done the work.
 *
 * @param message A JSON-RPC message; a message without `method` is a response.
 */
export function isSafeToRepeat(message: object): boolean {
  const method = 'method' in message ? message.method : undefined;
  // A server that gets two responses to one request takes the first.
  if (typeof method !== 'string') return true;
  return SAFE.has(method) || (!('id' in message) && method.startsWith('notifications/'));
}
