import type { Clock } from '@mcp-fittings/client-core/transport';
import { during, sleepDuring, type Ending } from '../lifetime.js';
import { ChallengeBudget, type Credentials } from './credentials.js';
import type { RequestRedactor } from './redaction.js';
import {
  readRefusal,
  refusalError,
  type Refusal,
  type RefusedReply,
  type RefusedRequest,
} from './refusal.js';
import { RetryBudget, type RetryLaterOptions } from './retry-budget.js';

/** What all requests of one connection share. */
export interface RecoveryOptions {
  readonly credentials: Credentials;
  /** Learns what is sent, so that no error shows it. */
  readonly redactor: RequestRedactor;
  readonly retryLater: RetryLaterOptions;
  readonly clock: Clock;
  /** Source of chance in [0, 1). */
  readonly random: () => number;
}

/** One request, whichever wire carries it. */
export interface RemoteRequest<Reply extends { readonly accepted: true }> extends RefusedRequest {
  /** HTTP method, for the signature. */
  readonly method: string;
  /** Where it goes, if that is another address of the server. */
  target?(): URL | undefined;
  /** Ending it gives the request up. */
  readonly lifetime: Ending;
  /** Runs before each attempt is signed. */
  before?(): Promise<void> | undefined;
  /**
   * Puts it on the wire once, with the headers that sign it. Settles with the reply when that has been read, with nothing when
   * `lifetime` has ended; rejects if no reply came.
   */
  send(signed: Readonly<Record<string, string>>): Promise<Reply | RefusedReply | undefined>;
  /**
   * What only this wire knows about a refusal that neither credentials nor waiting cure. `answered`: the refusal is the answer
   * and was dealt with. `again`: send it again. Nothing: it is an error.
   */
  settle?(refusal: Refusal): Promise<'answered' | 'again' | undefined>;
}

const UNSIGNED: Readonly<Record<string, string>> = {};

/**
 * Signs a request, sends it and, if its refusal can be cured, sends it again: other credentials, a server that is busy, or
 * what its wire knows. Settles with the accepted reply; with nothing if `lifetime` ended before, or if the refusal was the
 * answer. Rejects with the error that the last refusal means, with that of the cure, or with that of the wire.
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
      ? await during(lifetime, credentials.headers(method, request.target?.()))
      : UNSIGNED;
    if (signed === undefined || lifetime.ended) return undefined;
    redactor.learn(signed);

    const reply = await request.send(signed);
    if (reply === undefined || reply.accepted) return reply;

    const refusal = readRefusal(reply, request, clock.now());
    const fail = () => refusalError(refusal, redactor.redact);
    if (refusal.challenge !== undefined) {
      challenges ??= new ChallengeBudget();
      const challenged = { challenge: refusal.challenge, method, signed, refusal: fail };
      await during(lifetime, credentials.recover(challenged, challenges));
    } else if (refusal.row.meaning === 'retry-later') {
      retries ??= new RetryBudget(options.retryLater, options.random);
      const ms = retries.next(refusal.retryAfterMs);
      if (ms === undefined) throw fail();
      await sleepDuring(lifetime, ms, clock);
    } else {
      const outcome = await request.settle?.(refusal);
      if (outcome === 'answered') return undefined;
      if (outcome === undefined) throw fail();
    }
    if (lifetime.ended) return undefined;
  }
}
