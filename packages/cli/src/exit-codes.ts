/** How a command ended, for scripts. Documented in the README; none changes its meaning. */
export const EXIT = {
  ok: 0,
  /** The command ran and what it was to do failed: a tool reported an error, a server is not connected. */
  failed: 1,
  /** Unknown command, option or argument. */
  usage: 2,
  /** A configuration file or entry is wrong, or names no such server. */
  config: 3,
  /** A sign-in is required, or the sign-in or the credential store failed. */
  auth: 4,
  /** The server needs an approval, or a policy forbids it. */
  approval: 5,
  /** The server can't be reached, or did not answer in time. */
  network: 6,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
