import { type AuthChallenge, type Clock, FittingsError } from '@mcp-fittings/client-core';
import type { ServerDeps } from '../setup/server-deps.js';
import { SharedWork } from '../shared-work.js';

/** Signs in to one server. One sign-in runs at a time; a second caller joins the first. */
export class SignIn {
  readonly #deps: Pick<ServerDeps, 'server' | 'resolve'>;
  #running: SharedWork<void> | undefined;

  constructor(deps: Pick<ServerDeps, 'server' | 'resolve'>) {
    this.#deps = deps;
  }

  async signIn({
    signal,
    challenge,
  }: {
    readonly signal?: AbortSignal | undefined;
    readonly challenge?: AuthChallenge | undefined;
  }): Promise<void> {
    const { server, resolve } = this.#deps;
    const { auth } = await resolve();
    const signIn = auth?.signIn?.bind(auth);
    if (signIn === undefined) {
      throw new FittingsError('AUTH_FAILED', `No auth plugin can sign in to the server "${server}".`, {
        server,
        hint: 'Pass an auth plugin that accepts this entry to createHost({ auth }).',
      });
    }
    const aborted = (): FittingsError =>
      new FittingsError('ABORTED', `The caller aborted the sign-in to the server "${server}".`, {
        server,
        cause: signal?.reason,
      });
    if (signal?.aborted === true) throw aborted();
    // One that all callers have aborted may still be ending.
    if (this.#running?.isOver !== false)
      this.#running = new SharedWork(({ signal: over }) => signIn({ signal: over, challenge }));
    await this.#running.join(signal, aborted);
  }

  /**
   * Resolves with whether another process has signed in since this challenge; `false` if the provider cannot tell. Rejects if
   * its store cannot be read.
   */
  async elsewhere(challenge: AuthChallenge | undefined): Promise<boolean> {
    // A sign-in of this process connects when it is done.
    if (this.#running?.isOver === false) return false;
    const { auth } = await this.#deps.resolve();
    return (await auth?.hasNewSignIn?.(challenge)) === true;
  }

  async signOut(): Promise<void> {
    const { auth } = await this.#deps.resolve();
    await auth?.signOut?.();
  }
}

export interface SignInWatchOptions {
  /** Resolves with whether another process has signed in. */
  readonly look: () => Promise<boolean>;
  readonly onSignIn: () => void;
}

/** Signing in takes a user seconds to minutes. After this many short pauses, the long ones are enough. */
const LOOK_MS = 1000;
const EAGER_LOOKS = 120;
const LATER_MS = 5000;
/** A sign-in that the server refused too, and a store that cannot be read, double the pauses up to this. */
const LONGEST_MS = 60_000;

/** Looks for a sign-in of another process while a server waits for one, so that the user need not sign in twice. */
export class SignInWatch implements Disposable {
  readonly #clock: Clock;
  readonly #options: SignInWatchOptions;
  #looks = 0;
  /** The next look, until it is done. */
  #timer: Disposable | undefined;
  #refused = 0;

  constructor(clock: Clock, options: SignInWatchOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Starts looking; does nothing if it is looking already. */
  begin(): void {
    if (this.#timer !== undefined) return;
    this.#looks = 0;
    this.#plan();
  }

  /** Call it when the server is connected: the next wait starts with short pauses again. */
  reset(): void {
    this.#refused = 0;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #plan(): void {
    const pause = this.#looks++ < EAGER_LOOKS ? LOOK_MS : LATER_MS;
    const ms = Math.min(pause * 2 ** Math.min(this.#refused, 10), LONGEST_MS);
    this.#timer = this.#clock.schedule(() => void this.#check(), ms, { unref: true });
  }

  async #check(): Promise<void> {
    const own = this.#timer;
    const found = await this.#options.look().catch(() => {
      // A locked keychain may ask the user each time.
      this.#refused++;
      return false;
    });
    if (this.#timer !== own) return;
    if (!found) return this.#plan();
    this.#timer = undefined;
    this.#refused++;
    this.#options.onSignIn();
  }
}
