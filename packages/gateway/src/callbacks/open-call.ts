import { randomUUID } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import type { ClientCapabilities, InputRequest, Notification } from '@modelcontextprotocol/server';

/** The exchange in which a client waits for the result of its call. A call that asks has another one after each answer. */
export interface ClientExchange {
  /** Identifies the client among all clients: questions of one client's calls may be asked in any of them. */
  readonly client: object | string;
  /** What the client declares. */
  readonly capabilities: ClientCapabilities | undefined;
  /** Sends a notification that belongs to the request. */
  notify(notification: Notification): Promise<void>;
}

/** How far a call is: it has ended, or its client has to answer first. */
export type CallStep<T> =
  { readonly result: T } | { readonly questions: Readonly<Record<string, InputRequest>> };

/** Options of {@link createOpenCall}. */
export interface OpenCallOptions<T> {
  /** `id` of the caller. */
  readonly callerId: string;
  readonly principal: string | undefined;
  /** Name of the server that the call goes to. */
  readonly server: string;
  readonly exchange: ClientExchange;
  /** Does the work. It may ask the client meanwhile. */
  readonly work: (call: OpenCall<T>) => Promise<T>;
}

/** A request of a client that is being worked on, and that may need answers of the client before it has a result. */
export interface OpenCall<T = unknown> {
  /** Unguessable id, `origin` of the calls of the host. */
  readonly origin: string;
  /** `id` of the caller. */
  readonly callerId: string;
  /** `principal` of the caller. */
  readonly principal: string | undefined;
  /** Name of the server that the call goes to. */
  readonly server: string;
  /** The exchange in which the client waits now, or waited last. */
  exchange: ClientExchange;
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal;
  /** Settles when the work has ended. Never rejects. */
  readonly ended: Promise<void>;
  /** Whether the work goes on. */
  readonly isOpen: boolean;
  /** Error with which the work has ended. */
  readonly error: unknown;
  /**
   * Asks the client. Rejects with the reason of `withdrawn`, and if the call is given up.
   * @returns the response, not validated
   */
  ask(request: InputRequest, withdrawn?: AbortSignal): Promise<unknown>;
  /** Resolves when the call has ended or asks, and rejects as the work does. */
  step(): Promise<CallStep<T>>;
  /** Takes the answers of the client, by the keys of the questions. What is not answered is asked again. */
  answer(responses: Readonly<Record<string, unknown>>): void;
  /** Gives the call up: aborts the work and withdraws the questions. Does nothing if it has ended. */
  abandon(reason: unknown): void;
}

interface Question {
  readonly request: InputRequest;
  answer(response: unknown): void;
  withdraw(reason: unknown): void;
}

/** Starts the work of a call. */
export function createOpenCall<T>(options: OpenCallOptions<T>): OpenCall<T> {
  const controller = new AbortController();
  const questions = new Map<string, Question>();
  let outcome: { readonly result: T } | { readonly error: unknown } | undefined;
  let asked = 0;
  let wake = (): void => undefined;

  const call: OpenCall<T> = {
    origin: randomUUID(),
    callerId: options.callerId,
    principal: options.principal,
    server: options.server,
    exchange: options.exchange,
    signal: controller.signal,
    get isOpen() {
      return outcome === undefined;
    },
    get ended() {
      return ended;
    },
    get error() {
      return outcome !== undefined && 'error' in outcome ? outcome.error : undefined;
    },
    ask: (request, withdrawn) =>
      new Promise((resolve, reject) => {
        if (controller.signal.aborted || outcome !== undefined) {
          const text = 'The call that the question belongs to has ended.';
          reject(new FittingsError('ABORTED', text, { cause: controller.signal.reason }));
          return;
        }
        const key = `question-${++asked}`;
        const settle = (): void => {
          questions.delete(key);
          withdrawn?.removeEventListener('abort', onWithdrawn);
        };
        const withdraw = (reason: unknown): void => {
          settle();
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the withdrawer's own
          reject(reason);
        };
        const onWithdrawn = (): void => withdraw(withdrawn?.reason);
        const answer = (response: unknown): void => {
          settle();
          resolve(response);
        };
        if (withdrawn?.aborted === true) return onWithdrawn();
        withdrawn?.addEventListener('abort', onWithdrawn, { once: true });
        questions.set(key, { request, answer, withdraw });
        wake();
      }),
    async step() {
      for (;;) {
        if (outcome !== undefined) {
          if ('error' in outcome) throw outcome.error;
          return outcome;
        }
        if (questions.size > 0) {
          return {
            questions: Object.fromEntries(Array.from(questions, ([key, { request }]) => [key, request])),
          };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    answer(responses) {
      for (const [key, response] of Object.entries(responses)) questions.get(key)?.answer(response);
    },
    abandon(reason) {
      if (outcome !== undefined) return;
      controller.abort(reason);
      for (const question of questions.values()) question.withdraw(reason);
    },
  };
  const work = async (): Promise<void> => {
    try {
      outcome = { result: await options.work(call) };
    } catch (error) {
      outcome = { error };
    }
    for (const question of questions.values()) question.withdraw(new Error('The call has ended.'));
    wake();
  };
  const ended = Promise.resolve().then(work);
  return call;
}
