import type { QuestionHandler, ReplicaLink } from '../contracts/replica-link.js';
import { randomUUID } from 'node:crypto';
import { type Clock, FittingsError, type Logger, type SharedState } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';

/** Options of {@link createReplicaLink}. */
export interface ReplicaLinkOptions {
  readonly state: SharedState;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

interface Waiting {
  settle(answer: { readonly body: unknown } | { readonly error: unknown }): void;
  readonly onNote: ((body: unknown) => void) | undefined;
}

/** Milliseconds between checks that the other replica still works on the question. */
const CHECK_MS = 2000;

/** Joins the replicas of a state. */
export function createReplicaLink({ state, clock, logger }: ReplicaLinkOptions): ReplicaLink {
  const questions = new Map<string, QuestionHandler>();
  const announcements = new Map<string, (body: unknown) => void>();
  const waiting = new Map<string, Waiting>();
  const working = new Map<string, AbortController>();

  const replica = state.join((message, from) => {
    if (!isRecord(message) || typeof message['id'] !== 'string') return;
    const { id, type, kind, body } = message;
    if (type === 'ask') void work(from, id, String(kind), body);
    else if (type === 'check') {
      if (!working.has(id)) void send(from, { id, type: 'lost' });
    } else if (type === 'cancel')
      working.get(id)?.abort(new Error('The other replica does not wait any more.'));
    else if (type === 'note') waiting.get(id)?.onNote?.(body);
    else if (type === 'answer') waiting.get(id)?.settle({ body });
    else if (type === 'lost') waiting.get(id)?.settle({ error: lost() });
    else if (type === 'tell') announcements.get(String(kind))?.(body);
  });
  /** Resolves with false if the replica has ended; undefined if this could not be found out. */
  const send = async (to: string, message: unknown): Promise<boolean | undefined> => {
    try {
      return await replica.send(to, message);
    } catch (error) {
      logger?.warn('A message to another replica could not be sent.', { error: String(error) });
      return undefined;
    }
  };
  const work = async (from: string, id: string, kind: string, body: unknown): Promise<void> => {
    const controller = new AbortController();
    working.set(id, controller);
    let notes = Promise.resolve();
    // One after the other: messages that are sent at once may arrive in any order.
    const reply = (message: Readonly<Record<string, unknown>>): Promise<void> =>
      (notes = notes.then(() => send(from, { id, ...message })).then(() => undefined));
    try {
      const handler = questions.get(kind);
      if (handler === undefined) throw new Error(`This replica does not know "${kind}".`);
      const note = (part: unknown): void => void reply({ type: 'note', body: part });
      const result = await handler(body, { signal: controller.signal, note });
      await reply({ type: 'answer', body: result });
    } catch (error) {
      logger?.debug('A question of another replica failed.', { kind, error: String(error) });
      await reply({ type: 'lost' });
    } finally {
      working.delete(id);
    }
  };
  /** Keeps asking whether the answer can still come, until it is there. */
  const watch = async (to: string, id: string): Promise<void> => {
    if (!waiting.has(id)) return;
    const isThere = await send(to, { id, type: 'check' });
    if (isThere === false) waiting.get(id)?.settle({ error: lost() });
    else clock.schedule(() => void watch(to, id), CHECK_MS, { unref: true });
  };

  const others = async (): Promise<readonly string[]> =>
    (await replica.replicas()).filter((id) => id !== replica.id);

  return {
    id: replica.id,
    answer: (kind, handler) => void questions.set(kind, handler),
    hear: (kind, handler) => void announcements.set(kind, handler),
    async ask(to, kind, body, { signal, onNote } = {}) {
      signal?.throwIfAborted();
      const id = randomUUID();
      using _ = replica.expect();
      const answered = new Promise<unknown>((resolve, reject) => {
        const settle: Waiting['settle'] = (answer) => {
          waiting.delete(id);
          signal?.removeEventListener('abort', onAbort);
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal is the caller's own
          if ('error' in answer) reject(answer.error);
          else resolve(answer.body);
        };
        const onAbort = (): void => {
          settle({ error: signal?.reason });
          void send(to, { id, type: 'cancel' });
        };
        waiting.set(id, { settle, onNote });
        signal?.addEventListener('abort', onAbort, { once: true });
      });
      // It may settle while the question is still being sent.
      answered.catch(() => undefined);
      // A failure to send is not known to be one: the message may have arrived.
      if ((await send(to, { id, type: 'ask', kind, body })) === false)
        waiting.get(id)?.settle({ error: lost() });
      clock.schedule(() => void watch(to, id), CHECK_MS, { unref: true });
      return await answered;
    },
    others,
    async announce(kind, body, only) {
      try {
        const to = only === undefined ? await others() : [only];
        await Promise.all(to.map((id) => send(id, { id: randomUUID(), type: 'tell', kind, body })));
      } catch (error) {
        logger?.warn('The other replicas could not be told.', { kind, error: String(error) });
      }
    },
    async close() {
      for (const each of waiting.values()) each.settle({ error: lost() });
      for (const controller of working.values()) controller.abort(new Error('The gateway is closing.'));
      await replica.leave();
    },
  };
}

function lost(): FittingsError {
  return new FittingsError(
    'CONNECTION_LOST',
    'The replica of the gateway that works on this call has ended.',
    {
      delivery: 'unknown',
      hint: 'Find out whether the call was carried out before you repeat it.',
    },
  );
}
