/** Exit codes, for scripts. They are documented in the README and keep their meaning. */
export const EXIT = {
  ok: 0,
  /** The command ran, but failed: a tool reported an error, or a server is not connected. */
  failed: 1,
  /** Unknown command, option or argument. */
  usage: 2,
  /** A configuration file or an entry is invalid, or there is no server of this name. */
  config: 3,
  /** A sign-in is required, or the sign-in or the credential store failed. */
  auth: 4,
  /** The server needs an approval, or a policy forbids it. */
  approval: 5,
  /** The server is unreachable, or did not respond in time. */
  network: 6,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
