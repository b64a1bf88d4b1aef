import { randomUUID } from 'node:crypto';
import { type Clock, FittingsError, type Logger, type SharedState } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/** Works on a question. Plain JSON in and out; a rejection reaches the asker as a lost question. */
type QuestionHandler = (
  body: unknown,
  asker: {
    readonly signal: AbortSignal;
    /** Sends something before the answer. Resolves as sending does: with true only if the other replica gets it. */
    readonly note: (body: unknown) => Promise<boolean | undefined>;
  },
) => Promise<unknown>;

interface Waiting {
  settle(answer: { readonly body: unknown } | { readonly error: unknown }): void;
  readonly onNote: ((body: unknown) => void) | undefined;
}

/** Milliseconds between checks that the other replica still works on the question. */
const CHECK_MS = 2000;

/** Questions and announcements between the replicas of a gateway, which a state joins. */
export class ReplicaLink {
  /** Identifies this replica. */
  readonly id: string;
  readonly #clock: Clock;
  readonly #logger: Logger | undefined;
  readonly #replica: ReturnType<SharedState['join']>;
  readonly #questions = new Map<string, QuestionHandler>();
  readonly #announcements = new Map<string, (body: unknown) => void>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #working = new Map<string, AbortController>();

  constructor(state: SharedState, clock: Clock, logger?: Logger) {
    this.#clock = clock;
    this.#logger = logger;
    this.#replica = state.join((message, from) => this.#receive(message, from));
    this.id = this.#replica.id;
  }

  /** Answers the questions of a kind. Must be called before another replica can know of anything to ask about. */
  answer(kind: string, handler: QuestionHandler): void {
    this.#questions.set(kind, handler);
  }

  /** Receives the announcements of a kind. */
  hear(kind: string, handler: (body: unknown) => void): void {
    this.#announcements.set(kind, handler);
  }

  /**
   * Asks another replica. Rejects with `CONNECTION_LOST` (`delivery: 'unknown'`) if it has ended, or does not know of the question any more,
   * and with the reason of `signal`.
   * @param options.onNote - receives what the other replica sends before its answer
   */
  async ask(
    to: string,
    kind: string,
    body: unknown,
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly onNote?: ((body: unknown) => void) | undefined;
    } = {},
  ): Promise<unknown> {
    const { signal, onNote } = options;
    signal?.throwIfAborted();
    const id = randomUUID();
    using _ = this.#replica.expect();
    const answered = new Promise<unknown>((resolve, reject) => {
      const settle: Waiting['settle'] = (answer) => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', onAbort);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal is the caller's own
        if ('error' in answer) reject(answer.error);
        else resolve(answer.body);
      };
      const onAbort = (): void => {
        settle({ error: signal?.reason });
        void this.#send(to, { id, type: 'cancel' });
      };
      this.#waiting.set(id, { settle, onNote });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
    // It may settle while the question is still being sent.
    answered.catch(() => undefined);
    // A failure to send is not known to be one: the message may have arrived.
    if ((await this.#send(to, { id, type: 'ask', kind, body })) === false) this.#lose(id);
    this.#checkLater(to, id);
    return await answered;
  }

  /** Returns the ids of the other replicas. One that was killed is among them for ten seconds. */
  async others(): Promise<readonly string[]> {
    return (await this.#replica.replicas()).filter((id) => id !== this.id);
  }

  /** Tells one replica. Never rejects: resolves with false if it has ended, and with undefined if this could not be found out. */
  tell(to: string, kind: string, body: unknown): Promise<boolean | undefined> {
    return this.#send(to, { id: randomUUID(), type: 'tell', kind, body });
  }

  /** Tells all other replicas, as far as they can be reached. Never rejects. */
  async announce(kind: string, body: unknown): Promise<void> {
    try {
      await Promise.all((await this.others()).map((id) => this.tell(id, kind, body)));
    } catch (error) {
      this.#logger?.warn('The other replicas could not be told.', { kind, error: String(error) });
    }
  }

  /** Leaves the replicas. What is asked here is rejected, and what is worked on here is aborted. */
  async close(): Promise<void> {
    for (const id of this.#waiting.keys()) this.#lose(id);
    for (const controller of this.#working.values()) controller.abort(new Error('The gateway is closing.'));
    await this.#replica.leave();
  }

  #receive(message: unknown, from: string): void {
    if (!isRecord(message) || typeof message['id'] !== 'string') return;
    const { id, type, kind, body } = message;
    if (type === 'ask') void this.#work(from, id, String(kind), body);
    else if (type === 'check') {
      if (!this.#working.has(id)) void this.#send(from, { id, type: 'lost' });
    } else if (type === 'cancel')
      this.#working.get(id)?.abort(new Error('The other replica does not wait any more.'));
    else if (type === 'note') {
      const waiting = this.#waiting.get(id);
      // Its cancellation has not arrived.
      if (waiting === undefined) void this.#send(from, { id, type: 'cancel' });
      else waiting.onNote?.(body);
    } else if (type === 'answer') this.#waiting.get(id)?.settle({ body });
    else if (type === 'lost') this.#lose(id);
    else if (type === 'tell') this.#announcements.get(String(kind))?.(body);
  }

  /** Resolves with false if the replica has ended; undefined if this could not be found out. */
  async #send(to: string, message: unknown): Promise<boolean | undefined> {
    try {
      return await this.#replica.send(to, message);
    } catch (error) {
      this.#logger?.warn('A message to another replica could not be sent.', { error: String(error) });
      return undefined;
    }
  }

  async #work(from: string, id: string, kind: string, body: unknown): Promise<void> {
    const controller = new AbortController();
    this.#working.set(id, controller);
    let notes: Promise<boolean | undefined> = Promise.resolve(true);
    // One after the other: messages that are sent at once may arrive in any order.
    const reply = (message: Readonly<Record<string, unknown>>): Promise<boolean | undefined> =>
      (notes = notes.then(async () => {
        const isSent = await this.#send(from, { id, ...message });
        if (isSent === false) controller.abort(new Error('The other replica has ended.'));
        return isSent;
      }));
    try {
      const handler = this.#questions.get(kind);
      if (handler === undefined) throw new Error(`This replica does not know "${kind}".`);
      const note = (part: unknown): ReturnType<typeof reply> => reply({ type: 'note', body: part });
      const result = await handler(body, { signal: controller.signal, note });
      await reply({ type: 'answer', body: result });
    } catch (error) {
      this.#logger?.debug('A question of another replica failed.', { kind, error: String(error) });
      await reply({ type: 'lost' });
    } finally {
      this.#working.delete(id);
    }
  }

  /** Keeps asking whether the answer can still come, until it is there. */
  #checkLater(to: string, id: string): void {
    const check = async (): Promise<void> => {
      if (!this.#waiting.has(id)) return;
      if ((await this.#send(to, { id, type: 'check' })) === false) this.#lose(id);
      else this.#checkLater(to, id);
    };
    this.#clock.schedule(() => void check(), CHECK_MS, { unref: true });
  }

  #lose(id: string): void {
    const text = 'The replica of the gateway that works on this call has ended.';
    const hint = 'Find out whether the call was carried out before you repeat it.';
    this.#waiting
      .get(id)
      ?.settle({ error: new FittingsError('CONNECTION_LOST', text, { delivery: 'unknown', hint }) });
  }
}
