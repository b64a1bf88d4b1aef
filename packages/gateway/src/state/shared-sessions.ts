import {
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCObject,
  type SharedState,
} from '@mcp-fittings/client-core';
import { isMessage, isRecord } from '@mcp-fittings/toolbox/messages';
import type { ReplicaLink } from './replica-link.js';
import { StreamRelay } from './stream-relay.js';

/** State of a session: its owner, and what the client has told the server. It contains no credential. */
export interface SessionRecord {
  /** Value of `Mcp-Session-Id`. Who knows it and is the caller can use the session, so it is not logged. */
  readonly id: string;
  /** `id` of the caller; the session does not exist for any other. */
  readonly callerId: string;
  /** `principal` of the caller. */
  readonly principal?: string | undefined;
  /** Name of the server at whose address the session began. Absent: the address of all servers. */
  readonly server?: string | undefined;
  /** Parameters of the client's `initialize`. */
  readonly initialize: JSONRPCObject;
  /** Level of the client's last `logging/setLevel`. */
  readonly logLevel?: string | undefined;
  /** URIs that the client has subscribed to. */
  readonly subscriptions: readonly string[];
}

/** Messages of the client of a session, which one replica passes on to others. */
interface SessionMessages {
  /** `id` of the {@link SessionRecord}. */
  readonly sessionId: string;
  /** {@link SessionRecord.callerId}; messages for the session of another caller are dropped. */
  readonly callerId: string;
  /** Messages of the client, in their order. */
  readonly messages: readonly JSONRPCMessage[];
  /** True if the client has ended the session. */
  readonly ended: boolean;
}

const KIND = 'session';
/** Replicas that change one session at the same time make each other try again. */
const MAX_ATTEMPTS = 20;

/**
 * Keeps sessions in the shared state, where every replica of a gateway finds them, and passes their messages between replicas: a client
 * sends each message to any of them, the response to a question that another one has asked, for example. Calls do not move. Methods that use the state reject with `STORE_UNAVAILABLE`.
 */
export class SharedSessions {
  /** Continues event streams at other replicas. */
  readonly streams: StreamRelay;
  readonly #state: SharedState;
  readonly #link: ReplicaLink;

  constructor(state: SharedState, link: ReplicaLink) {
    this.#state = state;
    this.#link = link;
    this.streams = new StreamRelay(link);
  }

  /** Name of this replica, in the ids of the requests that it sends to clients. Letters, digits and `-`. */
  get replica(): string {
    return this.#link.id;
  }

  /** Returns the session, or `undefined` if it has ended or expired. */
  async get(id: string): Promise<SessionRecord | undefined> {
    return (await this.#read(id))?.record;
  }

  /** Keeps a new session for `lifetimeMs` milliseconds. */
  async save(record: SessionRecord, lifetimeMs: number): Promise<void> {
    await this.#state.set(keyOf(record.id), record, { lifetimeMs }).catch(unavailable);
  }

  /** Keeps the session for `lifetimeMs` milliseconds from now. Resolves with whether it still exists. */
  touch(id: string, lifetimeMs: number): Promise<boolean> {
    return this.#state.touch(keyOf(id), lifetimeMs).catch(unavailable);
  }

  /** Ends the session for all replicas. */
  async delete({ id, callerId }: SessionRecord): Promise<void> {
    await this.#state.delete(keyOf(id)).catch(unavailable);
    await this.tell({ sessionId: id, callerId, messages: [], ended: true });
  }

  /** Keeps what messages of the client change in a session, while other replicas may change it too. */
  async change(id: string, messages: readonly JSONRPCMessage[], lifetimeMs: number): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = await this.#read(id);
      if (found === undefined) return;
      const { record, version } = found;
      const changed = noteMessages(record, messages);
      if (await this.#state.set(keyOf(id), changed, { lifetimeMs, version }).catch(unavailable)) return;
    }
    throw new Error('Other replicas keep changing the session.');
  }

  /** Passes messages on to all other replicas. Never rejects. */
  tell(messages: SessionMessages): Promise<void> {
    return this.#link.announce(KIND, messages);
  }

  /** Passes messages on to one replica. Rejects if it may not have got them, unless it has ended. */
  async pass(replica: string, messages: SessionMessages): Promise<void> {
    if ((await this.#link.tell(replica, KIND, messages)) === undefined)
      unavailable(new Error('The other replica cannot be reached.'));
  }

  /** Receives what other replicas pass on. */
  receive(handler: (messages: SessionMessages) => void): void {
    this.#link.hear(KIND, (body) => {
      if (isSessionMessages(body)) handler(body);
    });
  }

  async #read(id: string): Promise<{ readonly record: SessionRecord; readonly version: string } | undefined> {
    const found = await this.#state.get(keyOf(id)).catch(unavailable);
    if (found === undefined || !isSessionRecord(found.value, id)) return undefined;
    return { record: found.value, version: found.version };
  }
}

/** Returns the record with what the messages of the client change in the session; the same object if they change nothing. */
export function noteMessages(record: SessionRecord, messages: readonly JSONRPCMessage[]): SessionRecord {
  let noted = record;
  for (const message of messages) {
    if (!('method' in message)) continue;
    const { method, params } = message;
    const uri = isRecord(params) ? params['uri'] : undefined;
    const level = isRecord(params) ? params['level'] : undefined;
    const { subscriptions } = noted;
    if (method === 'logging/setLevel' && typeof level === 'string') noted = { ...noted, logLevel: level };
    if (typeof uri !== 'string') continue;
    if (method === 'resources/subscribe' && !subscriptions.includes(uri)) {
      noted = { ...noted, subscriptions: [...subscriptions, uri].slice(-MOST_SUBSCRIPTIONS) };
    }
    if (method === 'resources/unsubscribe') {
      noted = { ...noted, subscriptions: subscriptions.filter((each) => each !== uri) };
    }
  }
  return noted;
}

/** A record is written to the state with every change, so it must not grow without limit. */
const MOST_SUBSCRIPTIONS = 1000;

const keyOf = (id: string): string => `session ${id}`;

function unavailable(cause: unknown): never {
  throw new FittingsError('STORE_UNAVAILABLE', 'The store of sessions failed.', { cause });
}

function isSessionRecord(value: unknown, id: string): value is SessionRecord {
  if (!isRecord(value) || value['id'] !== id || typeof value['callerId'] !== 'string') return false;
  const { principal, server, logLevel, subscriptions, initialize } = value;
  const texts = [principal, server, logLevel].every((text) => text === undefined || typeof text === 'string');
  return texts && isRecord(initialize) && isTexts(subscriptions);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isSessionMessages(value: unknown): value is SessionMessages {
  if (!isRecord(value) || typeof value['sessionId'] !== 'string' || typeof value['callerId'] !== 'string') {
    return false;
  }
  const { messages, ended } = value;
  return Array.isArray(messages) && messages.every(isMessage) && typeof ended === 'boolean';
}
