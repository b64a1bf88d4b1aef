/** A connection over which an event stream is read. */
export interface Sink {
  write(text: string): void;
  end(): void;
  /** Calls the function when the stream has ended, or the client is gone. */
  onOver(listener: () => void): void;
}

/** Outcome of reading on an event stream. `complete`: nothing is left to read; `unknown`: what was missed is not kept. */
export type Resumption = 'resumed' | 'complete' | 'unknown';
