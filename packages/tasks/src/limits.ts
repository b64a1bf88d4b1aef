/** Bounds on what a server can make the client do. All times are milliseconds. */
export interface TaskLimits {
  /** Shortest time between two polls, whatever the server asks for. Default 250. */
  readonly minPollMs: number;
  /** Longest time between two polls, whatever the server asks for. Default 60 000. */
  readonly maxPollMs: number;
  /** Time between two polls if the server asks for none. Default 1000. */
  readonly defaultPollMs: number;
  /** Longest time for which a task is polled, also if its time to live is longer. Default 86 400 000 (a day). */
  readonly maxTaskMs: number;
  /** Most polls of a task. Default 100 000. */
  readonly maxPolls: number;
  /** Longest time of one `tasks/get`, `tasks/update` or `tasks/cancel`. Default 30 000. */
  readonly requestMs: number;
  /** Longest time that the client may take to answer input requests. Default 600 000. */
  readonly inputMs: number;
  /** Consecutive failures to reach the server after which polling ends. Default 5. */
  readonly maxFailures: number;
  /** Most input requests of a task. Default 64. */
  readonly maxInputs: number;
}

export const DEFAULT_LIMITS: TaskLimits = {
  minPollMs: 250,
  maxPollMs: 60_000,
  defaultPollMs: 1000,
  maxTaskMs: 24 * 3600 * 1000,
  maxPolls: 100_000,
  requestMs: 30_000,
  inputMs: 600_000,
  maxFailures: 5,
  maxInputs: 64,
};
