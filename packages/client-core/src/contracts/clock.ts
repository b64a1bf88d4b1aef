/** Time as a package sees it; tests put their own in its place. All values are milliseconds. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `task` once after `ms`. The timer does not keep the process alive when `unref` is true. */
  schedule(task: () => void, ms: number, options?: { readonly unref?: boolean }): Disposable;
}
