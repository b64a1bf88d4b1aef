import { FittingsError, type AuthChallenge } from '@mcp-fittings/client-core';
import type { ServerDeps } from '../setup/server-deps.js';

/** Signing in to one server: one sign-in at a time, a second caller joins the first. */
export interface SignIn {
  signIn(options: {
    readonly signal?: AbortSignal | undefined;
    readonly challenge?: AuthChallenge | undefined;
  }): Promise<void>;
  signOut(): Promise<void>;
  /**
   * Whether another process has signed in since this challenge; false where the provider cannot tell. Rejects where its store
   * cannot be read.
   */
  elsewhere(challenge: AuthChallenge | undefined): Promise<boolean>;
}

export function createSignIn({ server, resolve }: Pick<ServerDeps, 'server' | 'resolve'>): SignIn {
  let running: Promise<void> | undefined;
  return {
    async signIn(options) {
      const { auth } = resolve();
      if (auth?.signIn === undefined) {
        throw new FittingsError('AUTH_FAILED', `Nothing is installed that could sign in to "${server}".`, {
          server,
          hint: 'Pass an auth plugin that serves this entry to createHost({ auth }).',
        });
      }
      running ??= auth.signIn(options).finally(() => {
        running = undefined;
      });
      await running;
    },
    async elsewhere(challenge) {
      // The sign-in here connects when it is done.
      if (running !== undefined) return false;
      return (await resolve().auth?.hasNewSignIn?.(challenge)) === true;
    },
    async signOut() {
      await resolve().auth?.signOut?.();
    },
  };
}

export interface SignInWatchDeps {
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

export function createSignInWatch(
  { clock }: Pick<ServerDeps, 'clock'>,
  { look, onSignIn }: SignInWatchDeps,
): SignInWatch {
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
