import type { Clock } from '@mcp-fittings/client-core';

export interface SignInWatchDeps {
  readonly clock: Clock;
  /** Whether another process has signed in. */
  readonly look: () => Promise<boolean>;
  readonly onSignIn: () => void;
}

/** While a server waits for a sign-in: looks for one of another process, so that nobody has to sign in twice. */
export interface SignInWatch extends Disposable {
  /** Begins to look; does nothing while it is at it. */
  begin(): void;
  /** The server is connected: the next wait begins with short pauses again. */
  reset(): void;
}

/** A person who signs in elsewhere takes seconds to minutes; who does not do so within these looks is not in a hurry. */
const LOOK_MS = 1000;
const EAGER_LOOKS = 120;
const LATER_MS = 5000;
/** What was found and was refused as well, and a store that cannot be read, make the pauses longer, up to this. */
const LONGEST_MS = 60_000;

export function createSignInWatch({ clock, look, onSignIn }: SignInWatchDeps): SignInWatch {
  let current: { timer?: Disposable } | undefined;
  let refused = 0;

  const begin = (): void => {
    if (current !== undefined) return;
    const own: { timer?: Disposable } = {};
    current = own;
    let looks = 0;
    const check = async (): Promise<void> => {
      const found = await look().catch(() => {
        // A keychain that is locked may ask a person each time.
        refused++;
        return false;
      });
      if (current !== own) return;
      if (!found) return plan();
      current = undefined;
      refused++;
      onSignIn();
    };
    const plan = (): void => {
      const pause = looks++ < EAGER_LOOKS ? LOOK_MS : LATER_MS;
      const ms = Math.min(pause * 2 ** Math.min(refused, 10), LONGEST_MS);
      own.timer = clock.schedule(() => void check(), ms, { unref: true });
    };
    plan();
  };

  return {
    begin,
    reset() {
      refused = 0;
    },
    [Symbol.dispose]() {
      current?.timer?.[Symbol.dispose]();
      current = undefined;
    },
  };
}
