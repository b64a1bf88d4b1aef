import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createLifetime } from '@mcp-fittings/toolbox/timing';
import type { Resumption, Sink } from '../contracts/event-stream.js';
import type { ReplicaLink } from './replica-link.js';

/** An event of a session, after which its client reads on. */
interface StreamPlace {
  readonly sessionId: string;
  /** `id` of the caller; the session does not exist for any other. */
  readonly callerId: string;
  readonly eventId: string;
}

const KIND = 'event-stream';
/** Most characters that wait to be sent to another replica. */
const MAX_UNSENT = 4 * 1024 * 1024;

/** Continues event streams of one replica over connections of another. */
export class StreamRelay {
  readonly #link: ReplicaLink;

  constructor(link: ReplicaLink) {
    this.#link = link;
  }

  /**
   * Continues an event stream of another replica. Resolves when it is open, or when it is known that it cannot be.
   * @param connection - breaks off if that replica ends
   * @param open - begins the event stream on the connection
   */
  resume(
    replica: string,
    place: StreamPlace,
    connection: Sink & { destroy(): void },
    open: () => void,
  ): Promise<Resumption> {
    const gone = new AbortController();
    connection.onOver(() => gone.abort());
    return new Promise((resolve) => {
      let isOpen = false;
      const onNote = (text: unknown): void => {
        if (!isOpen) open();
        isOpen = true;
        resolve('resumed');
        if (typeof text === 'string' && text !== '') connection.write(text);
      };
      this.#link.ask(replica, KIND, place, { signal: gone.signal, onNote }).then(
        (outcome) => {
          if (isOpen) connection.end();
          resolve(outcome === 'complete' ? outcome : 'unknown');
        },
        () => {
          if (isOpen) connection.destroy();
          resolve('unknown');
        },
      );
    });
  }

  /** Continues event streams of this replica for the others. */
  serve(handler: (place: StreamPlace, open: () => Sink) => Resumption): void {
    this.#link.answer(KIND, async (place, { signal, note }) => {
      if (!isStreamPlace(place)) return 'unknown';
      const sink = new RelaySink(note, signal);
      const outcome = handler(place, () => {
        void note('');
        return sink;
      });
      if (outcome === 'resumed') await new Promise<void>((resolve) => sink.onOver(resolve));
      return outcome;
    });
  }
}

/** Sends the events of a stream to another replica: what has gathered while the last ones were sent, at once. */
class RelaySink implements Sink {
  readonly #note: (text: string) => Promise<boolean | undefined>;
  readonly #over = createLifetime();
  #unsent = '';
  #isSending = false;
  #isEnding = false;

  constructor(note: (text: string) => Promise<boolean | undefined>, signal: AbortSignal) {
    this.#note = note;
    if (signal.aborted) this.#over.end();
    else signal.addEventListener('abort', () => this.#over.end(), { once: true });
  }

  write(text: string): void {
    this.#unsent += text;
    if (this.#unsent.length > MAX_UNSENT) this.#over.end();
    else void this.#send();
  }

  end(): void {
    this.#isEnding = true;
    if (!this.#isSending) this.#over.end();
  }

  onOver(listener: () => void): void {
    this.#over.onEnd(listener);
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#unsent !== '' && !this.#over.ended) {
      const text = this.#unsent;
      this.#unsent = '';
      // One that may be missing ends the connection: the client reads on after the last one that it has.
      // oxlint-disable-next-line no-await-in-loop -- in order
      if ((await this.#note(text)) !== true) this.#over.end();
    }
    this.#isSending = false;
    if (this.#isEnding) this.#over.end();
  }
}

function isStreamPlace(value: unknown): value is StreamPlace {
  if (!isRecord(value)) return false;
  return [value['sessionId'], value['callerId'], value['eventId']].every((each) => typeof each === 'string');
}
