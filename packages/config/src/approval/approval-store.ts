/** A decision that outlives the process. `always` is for one definition, `never` for the name. */
export interface StoredDecision {
  readonly decision: 'always' | 'never';
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * Keeps decisions, outside of every project. A store never says "nothing decided" when it means "could not look": it
 * rejects with a `FittingsError`.
 */
export interface ApprovalStore {
  /** The file behind it, where there is one. */
  readonly file?: string | undefined;
  /** Decisions about one project by name of the server. */
  read(project: string): Promise<ReadonlyMap<string, readonly StoredDecision[]>>;
  /** Adds a decision. `never` replaces what was decided on the name, `always` replaces a `never`. */
  write(
    project: { readonly id: string; readonly root: string },
    name: string,
    decision: StoredDecision,
  ): Promise<void>;
  forget(project: string, name?: string): Promise<void>;
}
