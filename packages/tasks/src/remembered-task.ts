import type { Clock } from '@mcp-fittings/client-core';
import { sleep } from '@mcp-fittings/toolbox/timing';
import type { Task } from '@mcp-fittings/toolbox/tasks';
import type { TaskRecord, TaskStore } from './task-store.js';

/** Milliseconds for which a program that has ended without releasing a task still holds it. */
const HOLD_MS = 30_000;
const RENEW_MS = HOLD_MS / 3;

export interface RememberedTaskOptions {
  readonly store: TaskStore | undefined;
  readonly owner: string;
  readonly record: TaskRecord;
  readonly clock: Clock;
  /** Called with each failure of the store, which does not end the task. */
  readonly onError: (error: unknown) => void;
}

/** The record of one task in the store, held while it is polled. Changes are written in order; a failure affects only the record. */
export class RememberedTask {
  readonly #options: RememberedTaskOptions;
  #record: TaskRecord;
  #written: Promise<void> = Promise.resolve();
  #renewal: Disposable | undefined;
  #isForgotten = false;

  constructor(options: RememberedTaskOptions) {
    this.#options = options;
    this.#record = options.record;
  }

  /** Writes the record. Resolves when it is written, or could not be. */
  hold(): Promise<void> {
    const { store, clock } = this.#options;
    if (store === undefined) return this.#written;
    this.#renewal?.[Symbol.dispose]();
    this.#renewal = clock.schedule(() => void this.hold(), RENEW_MS);
    this.#record = { ...this.#record, heldUntil: clock.now() + HOLD_MS };
    return this.#write();
  }

  /** Writes the record if the time to live has changed. */
  seen({ ttlMs }: Task): void {
    if (ttlMs === this.#record.ttlMs) return;
    this.#record = { ...this.#record, ttlMs };
    void this.#write();
  }

  /** Resolves when the keys are written, or could not be. */
  answered(keys: readonly string[]): Promise<void> {
    this.#record = { ...this.#record, answered: keys };
    return this.#write();
  }

  /** Removes the record. */
  forget(): void {
    this.#isForgotten = true;
    const { store, owner } = this.#options;
    void this.#then(async () => store?.remove(owner, this.#record.taskId));
  }

  /** Lets another program resume the task, unless it is over. Resolves when everything is written. */
  release(): Promise<void> {
    this.#renewal?.[Symbol.dispose]();
    if (this.#isForgotten) return this.#written;
    const { heldUntil: _heldUntil, ...released } = this.#record;
    this.#record = released;
    return this.#write();
  }

  #write(): Promise<void> {
    const { store, owner } = this.#options;
    const record = this.#record;
    return this.#then(async () => store?.put(owner, record));
  }

  #then(work: () => Promise<void>): Promise<void> {
    this.#written = this.#written.then(work).catch(this.#options.onError);
    return this.#written;
  }
}

export interface ClaimOptions extends Pick<RememberedTaskOptions, 'store' | 'owner' | 'clock'> {
  readonly server: string;
  /** Aborted when the connection has ended. */
  readonly signal: AbortSignal;
  /** Returns whether the client still waits for the result. */
  readonly isWanted: () => boolean;
}

/**
 * Takes a task of an earlier run. Resolves with its record, with a sentence about why it must not be resumed, or with `undefined` if
 * there is no store. Rejects as the store does.
 */
export async function claimTask(
  { server, store, owner, clock, signal, isWanted }: ClaimOptions,
  taskId: string,
): Promise<TaskRecord | string | undefined> {
  if (store === undefined) return undefined;
  for (let attempt = 0; ; attempt++) {
    const now = clock.now();
    const claimed = await store.claim(owner, taskId, now + HOLD_MS);
    if (claimed === undefined) return `No task with this id is stored for the server "${server}".`;
    if (claimed.isTaken) return claimed.task;
    if (attempt > 0 || !isWanted()) return 'Another program polls the task.';
    // That program may have been killed: then it does not extend the time.
    const left = (claimed.task.heldUntil ?? now) - now;
    await sleep(Math.min(HOLD_MS, Math.max(0, left)), { clock, signal });
  }
}
