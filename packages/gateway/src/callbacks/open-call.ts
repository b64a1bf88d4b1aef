import { randomUUID } from 'node:crypto';
import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import type { Question } from './client-input.js';

/** The exchange in which a client waits for the result of its call. A call that asks in the modern era has another one after each answer. */
export interface ClientExchange {
  /** Identifies the client among all clients: questions of one client's calls may be asked in any of them. */
  readonly client: object | string;
  /** Capabilities that the client declares. */
  readonly capabilities: JSONRPCObject | undefined;
  /** Sends a notification that belongs to the request. */
  readonly notify: (method: string, params: JSONRPCObject) => void;
  /**
   * Sends a question that belongs to the request, and withdraws it when the signal is aborted. A client of revision 2026-07-28 gets
   * its questions as the result of the request, and has no such function.
   */
  readonly ask?: ((question: Question, signal: AbortSignal) => Promise<unknown>) | undefined;
}

/** State of a call: it has ended, or its client has to answer first. */
export type CallStep<T> = { readonly result: T } | { readonly questions: Readonly<Record<string, Question>> };

/** Options of {@link OpenCall}. */
export interface OpenCallOptions<T> {
  /** `id` of the caller. */
  readonly callerId: string;
  /** `principal` of the caller. */
  readonly principal: string | undefined;
  /** Name of the server that the call goes to. */
  readonly server: string;
  /** The exchange in which the client waits. */
  readonly exchange: ClientExchange;
  /** That of the request with which the call begins. Aborting it gives the call up. */
  readonly controller: AbortController;
  /** Does the work. It may ask the client meanwhile. */
  readonly work: (call: OpenCall<T>) => Promise<T>;
}

interface Asked {
  readonly question: Question;
  answer(response: unknown): void;
  withdraw(reason: unknown): void;
}

/** A request of a client that is being worked on, and that may need answers of the client before it has a result. */
export class OpenCall<T = unknown> {
  /** Unguessable id, `origin` of the calls of the host. */
  readonly origin = randomUUID();
  /** `id` of the caller. */
  readonly callerId: string;
  /** `principal` of the caller. */
  readonly principal: string | undefined;
  /** Name of the server that the call goes to. */
  readonly server: string;
  /** Settles when the work has ended. Never rejects. */
  readonly ended: Promise<void>;
  /** The exchange in which the client waits now, or waited last. */
  exchange: ClientExchange;
  readonly #controller: AbortController;
  readonly #questions = new Map<string, Asked>();
  #outcome: { readonly result: T } | { readonly error: unknown } | undefined;
  #asked = 0;
  #wake = (): void => undefined;

  /** Starts the work in a microtask. */
  constructor({ callerId, principal, server, exchange, controller, work }: OpenCallOptions<T>) {
    this.callerId = callerId;
    this.principal = principal;
    this.server = server;
    this.exchange = exchange;
    this.#controller = controller;
    this.ended = this.#run(work);
  }

  /** Aborted when the call is given up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True until the work has ended. */
  get isOpen(): boolean {
    return this.#outcome === undefined;
  }

  /** Error with which the work has ended. */
  get error(): unknown {
    return this.#outcome !== undefined && 'error' in this.#outcome ? this.#outcome.error : undefined;
  }

  /**
   * Asks the client. Rejects with the reason of `withdrawn`, and if the call ends or is given up before the answer.
   * @returns the response, not validated
   */
  ask(question: Question, withdrawn?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted || !this.isOpen) {
        const text = 'The call that the question belongs to has ended.';
        reject(new FittingsError('ABORTED', text, { cause: this.signal.reason }));
        return;
      }
      if (this.#asked === 0)
        this.signal.addEventListener('abort', () => this.#withdrawAll(this.signal.reason), { once: true });
      const key = `question-${++this.#asked}`;
      const sent = new AbortController();
      const settle = (): void => {
        this.#questions.delete(key);
        withdrawn?.removeEventListener('abort', onWithdrawn);
      };
      const withdraw = (reason: unknown): void => {
        settle();
        sent.abort(reason);
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
      this.#questions.set(key, { question, answer, withdraw });
      if (this.exchange.ask === undefined) return this.#wake();
      this.exchange.ask(question, sent.signal).then(answer, (error: unknown) => {
        settle();
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of the client, or that it could not be asked
        reject(error);
      });
    });
  }

  /** Resolves when the call has ended or its next request has to bring answers, and rejects as the work does. */
  async step(): Promise<CallStep<T>> {
    for (;;) {
      if (this.#outcome !== undefined) {
        if ('error' in this.#outcome) throw this.#outcome.error;
        return this.#outcome;
      }
      if (this.#questions.size > 0 && this.exchange.ask === undefined) {
        const questions = Array.from(this.#questions, ([key, { question }]) => [key, question] as const);
        return { questions: Object.fromEntries(questions) };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Gives the call up: aborts the work and withdraws the questions. Does nothing if it has ended. */
  abandon(reason: unknown): void {
    if (this.isOpen) this.#controller.abort(reason);
  }

  /**
   * Goes on with another request of the client, which has answers by the keys of the questions. What is not answered is asked again. If its
   * signal is aborted before the result is disposed of, the call is given up.
   */
  continue(
    exchange: ClientExchange,
    responses: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Disposable {
    this.exchange = exchange;
    for (const [key, response] of Object.entries(responses)) this.#questions.get(key)?.answer(response);
    const stop = (): void => this.abandon(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    return { [Symbol.dispose]: () => signal.removeEventListener('abort', stop) };
  }

  async #run(work: OpenCallOptions<T>['work']): Promise<void> {
    await Promise.resolve();
    try {
      this.#outcome = { result: await work(this) };
    } catch (error) {
      this.#outcome = { error };
    }
    // An error has a stack, which costs more than all else here.
    if (this.#questions.size > 0)
      this.#withdrawAll(new FittingsError('ABORTED', 'The call that the question belongs to has ended.'));
    this.#wake();
  }

  #withdrawAll(reason: unknown): void {
    for (const asked of this.#questions.values()) asked.withdraw(reason);
  }
}
