import { type AuthChallenge, FittingsError } from '@mcp-fittings/client-core';
import type { ServerDeps } from '../setup/server-deps.js';

/** Signs in to one server. One sign-in runs at a time; a second caller joins the first. */
export interface SignIn {
  signIn(options: {
    readonly signal?: AbortSignal | undefined;
    readonly challenge?: AuthChallenge | undefined;
  }): Promise<void>;
  signOut(): Promise<void>;
  /**
   * Resolves with whether another process has signed in since this challenge; `false` if the provider cannot tell. Rejects if
   * its store cannot be read.
   */
  elsewhere(challenge: AuthChallenge | undefined): Promise<boolean>;
}

export function createSignIn({ server, resolve }: Pick<ServerDeps, 'server' | 'resolve'>): SignIn {
  let running: Promise<void> | undefined;
  return {
    async signIn(options) {
      const { auth } = resolve();
      if (auth?.signIn === undefined) {
        throw new FittingsError('AUTH_FAILED', `No auth plugin can sign in to the server "${server}".`, {
          server,
          hint: 'Pass an auth plugin that accepts this entry to createHost({ auth }).',
        });
      }
      running ??= auth.signIn(options).finally(() => {
        running = undefined;
      });
      await running;
    },
    async elsewhere(challenge) {
      // A sign-in of this process connects when it is done.
      if (running !== undefined) return false;
      return (await resolve().auth?.hasNewSignIn?.(challenge)) === true;
    },
    async signOut() {
      await resolve().auth?.signOut?.();
    },
  };
}

export interface SignInWatchDeps {
  /** Resolves with whether another process has signed in. */
  readonly look: () => Promise<boolean>;
  readonly onSignIn: () => void;
}

/** Looks for a sign-in of another process while a server waits for one, so that the user need not sign in twice. */
export interface SignInWatch extends Disposable {
  /** Starts looking; does nothing if it is looking already. */
  begin(): void;
  /** Call it when the server is connected: the next wait starts with short pauses again. */
  reset(): void;
}

/** Signing in takes a user seconds to minutes. After this many short pauses, the long ones are enough. */
const LOOK_MS = 1000;
const EAGER_LOOKS = 120;
const LATER_MS = 5000;
/** A sign-in that the server refused too, and a store that cannot be read, double the pauses up to this. */
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
        // A locked keychain may ask the user each time.
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
