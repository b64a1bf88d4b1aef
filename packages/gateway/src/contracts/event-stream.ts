/** A connection over which an event stream is read. */
export interface Sink {
  write(text: string): void;
  end(): void;
  /** Calls the function when the stream has ended, or the client is gone. */
  onOver(listener: () => void): void;
}

/** What has become of an event stream that a client reads on: nothing is left to read, or what it has missed is not kept. */
export type Resumption = 'resumed' | 'complete' | 'unknown';
