import { randomBytes } from 'node:crypto';
import type { Clock } from '@mcp-fittings/client-core';
import type { Resumption, Sink } from '../contracts/event-stream.js';
import { idOfReplica, ownPartOf } from '../state/replica-ids.js';
import type { Reply } from './reply.js';

/** Options of {@link Backlog}. */
export interface BacklogOptions {
  /** Name of this replica; undefined for the only one. */
  readonly replica: string | undefined;
  /** True if the client reads events without data. */
  readonly hasEmptyEvents: boolean;
  /** Most characters that are kept. */
  readonly maxLength: number;
  /** Milliseconds for which a stream without a connection is kept. */
  readonly keepMs: number;
  readonly clock: Clock;
}

const MAX_EVENTS = 1000;
const MAX_STREAMS = 1000;
/** Most calls that go on while their clients are gone. */
const MAX_LEFT = 64;
/** Begins the names of streams that belong to no request, and of the others. */
const STANDALONE = 's-';
const OF_REQUEST = 'r-';

/** Returns whether an event is of a stream that belongs to no request. */
export function isStandalone(eventId: string): boolean {
  return ownPartOf(eventId).startsWith(STANDALONE);
}

/** Keeps the last events of the streams of one session, within a bound, for clients that have lost their connection. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #streams = new Map<string, { readonly reply: Reply; timer: Disposable | undefined }>();
  readonly #events: { readonly name: string; readonly number: number; readonly text: string }[] = [];
  #length = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** True if the client reads events without data. */
  get hasEmptyEvents(): boolean {
    return this.#options.hasEmptyEvents;
  }

  /** Adds a stream, and returns its name, with which the ids of its events begin. */
  open(reply: Reply, isOfSession: boolean): string {
    const kind = isOfSession ? STANDALONE : OF_REQUEST;
    const name = idOfReplica(this.#options.replica, kind + randomBytes(9).toString('base64url'));
    this.#streams.set(name, { reply, timer: undefined });
    if (this.#streams.size > MAX_STREAMS) this.#giveUpOldest();
    return name;
  }

  add(name: string, number: number, text: string): void {
    // One that is too long would displace all others, and what comes after an event that is missing is refused.
    if (!this.#streams.has(name) || text.length > this.#options.maxLength) return;
    this.#events.push({ name, number, text });
    this.#length += text.length;
    while (this.#length > this.#options.maxLength || this.#events.length > MAX_EVENTS)
      this.#length -= this.#events.shift()?.text.length ?? 0;
  }

  /** Returns the events of a stream that are kept, after the one with this number. */
  after(name: string, number: number): readonly string[] {
    return this.#events.flatMap((each) => (each.name === name && each.number > number ? [each.text] : []));
  }

  /** Continues the stream of an event over a connection, see {@link Reply.resume}. */
  resume(eventId: string, open: () => Sink): Resumption {
    const end = eventId.lastIndexOf('.');
    const stream = this.#streams.get(eventId.slice(0, end));
    return stream?.reply.resume(Number(eventId.slice(end + 1)), open) ?? 'unknown';
  }

  /** The stream has lost its connection: it is kept for a while, unless it is unknown or too many are. Returns whether it is kept. */
  left(name: string, onEnd: () => void): boolean {
    const stream = this.#streams.get(name);
    if (stream === undefined) return false;
    const { clock, keepMs } = this.#options;
    const working = [...this.#streams.values()].filter(({ reply }) => !reply.isAttached && !reply.isComplete);
    if (working.length > MAX_LEFT && !stream.reply.isComplete) {
      this.forget(name);
      return false;
    }
    stream.timer = clock.schedule(onEnd, keepMs, { unref: true });
    return true;
  }

  /** The stream has another connection. */
  resumed(name: string): void {
    this.#streams.get(name)?.timer?.[Symbol.dispose]();
  }

  forget(name: string): void {
    this.resumed(name);
    if (!this.#streams.delete(name)) return;
    const left = this.#events.filter((each) => each.name !== name);
    this.#events.splice(0, this.#events.length, ...left);
    this.#length = left.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Forgets all streams. */
  close(): void {
    for (const name of this.#streams.keys()) this.resumed(name);
    this.#streams.clear();
    this.#events.length = 0;
  }

  /** The oldest stream that is complete cannot be resumed any more. The others have a connection, or are few. */
  #giveUpOldest(): void {
    const oldest = [...this.#streams.values()].find(({ reply }) => reply.isComplete);
    oldest?.reply.drop();
  }
}
