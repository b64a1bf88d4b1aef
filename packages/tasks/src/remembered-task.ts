import type { Task } from './protocol.js';
import type { TaskRecord, TaskStore } from './task-store.js';

export interface RememberedTaskOptions {
  readonly store: TaskStore | undefined;
  readonly owner: string;
  readonly record: TaskRecord;
  /** Called with each failure of the store, which does not end the task. */
  readonly onError: (error: unknown) => void;
}

/** The record of one task in the store. Changes are written in order; a failure affects only the record. */
export interface RememberedTask {
  /** Writes the record if the time to live has changed. */
  seen(task: Task): void;
  /** Resolves when the keys are written, or could not be. */
  answered(keys: readonly string[]): Promise<void>;
  forget(): void;
}

export function rememberTask({ store, owner, record, onError }: RememberedTaskOptions): RememberedTask {
  if (store === undefined) return { seen: ignore, answered: async () => undefined, forget: ignore };
  let current = record;
  let isWritten = false;
  let written = Promise.resolve();
  const then = (work: () => Promise<void>): void => {
    written = written.then(work).catch(onError);
  };
  const write = (changed: TaskRecord): void => {
    isWritten = true;
    current = changed;
    then(() => store.put(owner, changed));
  };
  return {
    seen({ ttlMs }) {
      if (!isWritten || ttlMs !== current.ttlMs) write({ ...current, ttlMs });
    },
    answered(keys) {
      write({ ...current, answered: keys });
      return written;
    },
    forget: () => then(() => store.remove(owner, record.taskId)),
  };
}

const ignore = (): void => undefined;
