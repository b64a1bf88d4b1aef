/** Questions and announcements between the replicas of a gateway. */
export interface ReplicaLink {
  /** Identifies this replica. */
  readonly id: string;
  /** Answers the questions of a kind. Must be called before another replica can know of anything to ask about. */
  answer(kind: string, handler: QuestionHandler): void;
  /** Receives the announcements of a kind. */
  hear(kind: string, handler: (body: unknown) => void): void;
  /**
   * Asks another replica. Rejects with `CONNECTION_LOST` (`delivery: 'unknown'`) if it has ended, or does not know of the question any more,
   * and with the reason of `signal`.
   */
  ask(to: string, kind: string, body: unknown, options?: AskOptions): Promise<unknown>;
  /** Returns the ids of the other replicas. One that was killed is among them for ten seconds. */
  others(): Promise<readonly string[]>;
  /** Tells one replica, or all others, as far as they can be reached. Never rejects. */
  announce(kind: string, body: unknown, to?: string): Promise<void>;
  /** Leaves the replicas. What is asked here is rejected, and what is worked on here is aborted. */
  close(): Promise<void>;
}

/** Options of {@link ReplicaLink.ask}. */
export interface AskOptions {
  /** Stops waiting, and tells the other replica. */
  readonly signal?: AbortSignal | undefined;
  /** Receives what the other replica sends before its answer. */
  readonly onNote?: ((body: unknown) => void) | undefined;
}

/** Works on a question. Plain JSON in and out; a rejection reaches the asker as a lost question. */
export type QuestionHandler = (
  body: unknown,
  asker: { readonly signal: AbortSignal; readonly note: (body: unknown) => void },
) => Promise<unknown>;
