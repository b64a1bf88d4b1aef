import type { Clock, TokenStore } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { isTaskId } from '@mcp-fittings/toolbox/tasks';

/** A task whose result was not delivered yet. Plain JSON. */
export interface TaskRecord {
  /** Id of the task. It may grant access to the task: do not log it. */
  readonly taskId: string;
  /** Name of the tool that was called. */
  readonly tool: string;
  /** Time when the task became known, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Milliseconds from {@link since} for which the server keeps the task; `null`: for ever. */
  readonly ttlMs: number | null;
  /** Keys of the input requests that were answered. */
  readonly answered: readonly string[];
  /**
   * Until when a program polls the task, in milliseconds since the Unix epoch; the program extends it while it does. Another one resumes
   * the task only when this time has passed. Default: no program polls it.
   */
  readonly heldUntil?: number | undefined;
}

/**
 * Remembers the open tasks, so that polling can go on after a restart. `owner` is the server and the principal on whose behalf it
 * was called: the tasks of one owner are not shown to another.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Task Polling"
 */
export interface TaskStore {
  /** Returns the open tasks of an owner, oldest first. Leaves out those whose time to live is over. */
  list(owner: string): Promise<readonly TaskRecord[]>;
  /** Adds a task, or replaces the one with the same id. */
  put(owner: string, task: TaskRecord): Promise<void>;
  /**
   * Takes a task whose `heldUntil` is absent or has passed, by setting it to this value. Of several programs that do so at once, one takes
   * it. Resolves with `undefined` if the owner has no such task.
   */
  claim(
    owner: string,
    taskId: string,
    heldUntil: number,
  ): Promise<
    | {
        /** The task as it was before. */
        readonly task: TaskRecord;
        /** True if the caller may resume it, because no one else holds it. */
        readonly isTaken: boolean;
      }
    | undefined
  >;
  /** Removes a task, if it is there. */
  remove(owner: string, taskId: string): Promise<void>;
}

/** Milliseconds for which a task without a time to live is remembered: 30 days. */
const LONGEST_MS = 30 * 24 * 3600 * 1000;
const MAX_TEXT = 1024;
const MAX_ANSWERED = 1024;

/**
 * Creates a task store on a store for credentials, because the id of a task may grant access to it: in memory, in encrypted files, in
 * the keychain, or in Redis. Several processes may share it. Rejects as that store does, with `STORE_UNAVAILABLE` for example.
 * @example
 * const store = taskStore(encryptedFileStore({ path, key }));
 * const host = createHost({ name, version, transports: [tasks(http(), { store })] });
 */
export function taskStore(
  tokens: TokenStore,
  options: {
    /** Most tasks of one owner; the oldest is forgotten for a new one. Default 128. */
    readonly maxTasks?: number | undefined;
    /** Clock for times to live. Default: the system clock. */
    readonly clock?: Clock | undefined;
  } = {},
): TaskStore {
  const { maxTasks = 128, clock = systemClock } = options;
  const read = async (key: string): Promise<readonly TaskRecord[]> => {
    const value = await tokens.get(key);
    const all: unknown = value?.['tasks'];
    if (!Array.isArray(all)) return [];
    const now = clock.now();
    return all.filter(isTaskRecord).filter(({ since, ttlMs }) => now - since <= (ttlMs ?? LONGEST_MS));
  };
  const change = (
    owner: string,
    edit: (all: readonly TaskRecord[]) => readonly TaskRecord[],
  ): Promise<void> => {
    const key = keyOf(owner);
    return tokens.withLock(key, async (signal) => {
      const all = edit(await read(key)).slice(-maxTasks);
      signal.throwIfAborted();
      if (all.length === 0) await tokens.delete(key);
      else await tokens.set(key, { tasks: all });
    });
  };
  return {
    list: (owner) => read(keyOf(owner)),
    put: (owner, task) => change(owner, (all) => [...all.filter(isOther(task.taskId)), task]),
    async claim(owner, taskId, heldUntil) {
      let claimed: Awaited<ReturnType<TaskStore['claim']>>;
      await change(owner, (all) =>
        all.map((task) => {
          if (task.taskId !== taskId) return task;
          claimed = { task, isTaken: (task.heldUntil ?? 0) <= clock.now() };
          return claimed.isTaken ? { ...task, heldUntil } : task;
        }),
      );
      return claimed;
    },
    remove: (owner, taskId) => change(owner, (all) => all.filter(isOther(taskId))),
  };
}

/**
 * Returns the owner of the tasks of a server, and of one principal if the host serves several: for `store.list()`.
 * @param server - name of the server in the host
 * @param principal - `principal` of the calls, or that of the host
 */
export function taskOwner(server: string, principal?: string): string {
  return JSON.stringify([server, ...(principal === undefined ? [] : [principal])]);
}

function keyOf(owner: string): string {
  return `mcp-tasks:${owner}`;
}

function isOther(taskId: string): (task: TaskRecord) => boolean {
  return (task) => task.taskId !== taskId;
}

function isTaskRecord(value: unknown): value is TaskRecord {
  if (!isRecord(value)) return false;
  const { taskId, tool, since, ttlMs, answered, heldUntil = 0 } = value;
  return (
    isTaskId(taskId) &&
    typeof tool === 'string' &&
    tool.length <= MAX_TEXT &&
    typeof since === 'number' &&
    (ttlMs === null || typeof ttlMs === 'number') &&
    typeof heldUntil === 'number' &&
    Array.isArray(answered) &&
    answered.length <= MAX_ANSWERED &&
    answered.every((key) => typeof key === 'string' && key.length <= MAX_TEXT)
  );
}
