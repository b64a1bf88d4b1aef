import { isRecord } from '@mcp-fittings/toolbox/messages';
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
      const over = new AbortController();
      const end = (): void => over.abort();
      const onOver: Sink['onOver'] = (listener) => {
        if (over.signal.aborted) listener();
        else over.signal.addEventListener('abort', listener, { once: true });
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      const outcome = handler(place, () => {
        note('');
        return { write: note, end, onOver };
      });
      if (outcome === 'resumed') await new Promise<void>((resolve) => onOver(resolve));
      return outcome;
    });
  }
}

function isStreamPlace(value: unknown): value is StreamPlace {
  if (!isRecord(value)) return false;
  return [value['sessionId'], value['callerId'], value['eventId']].every((each) => typeof each === 'string');
}
