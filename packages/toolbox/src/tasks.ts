import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from './messages.js';
import { sanitizeText } from './text.js';

/**
 * Id of the extension.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Extension Identifier"
 */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** State of a task from its server, within bounds. */
export interface Task {
  /** Id that the server gave the task. It may grant access to the task: do not log it. At most 1024 characters. */
  readonly taskId: string;
  /**
   * State of the task; the last three are final.
   * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Task Status"
   */
  readonly status: 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';
  /** Text of the server about the state, for display; at most 1000 characters. */
  readonly statusMessage?: string | undefined;
  /** Time when the task was created, as the server writes it: an ISO 8601 timestamp of at most 64 characters. */
  readonly createdAt?: string | undefined;
  /** Time when the task was last updated, as {@link createdAt}. */
  readonly lastUpdatedAt?: string | undefined;
  /** Milliseconds from its creation for which the server keeps the task; `null`: for ever. */
  readonly ttlMs: number | null;
  /** Milliseconds that the server asks to wait between two polls. */
  readonly pollIntervalMs?: number | undefined;
}

/** A task with what its status adds. */
export interface DetailedTask extends Task {
  /** Result of the call; only of a `completed` task. */
  readonly result?: JSONRPCObject | undefined;
  /** JSON-RPC error of the call; only of a `failed` task. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** Requests to the client, by key; only of an `input_required` task. */
  readonly inputRequests?: ReadonlyMap<string, InputRequest> | undefined;
}

/** A request of a task to the client. */
export interface InputRequest {
  /** `elicitation/create`, `sampling/createMessage` or `roots/list`. */
  readonly method: string;
  /** Parameters of the method. Default: none. */
  readonly params?: JSONRPCObject | undefined;
}

/** Requests to a client that the result of a request or a task may contain. Each begins with the name of the capability for it. */
export const INPUT_METHODS: ReadonlySet<string> = new Set([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
]);

const STATUSES: ReadonlySet<string> = new Set<Task['status']>([
  'working',
  'input_required',
  'completed',
  'cancelled',
  'failed',
]);
const MAX_ID = 1024;
const MAX_MESSAGE = 1000;
const MAX_TIMESTAMP = 64;
const MAX_KEY = 256;
/** Most requests that one state of a task may contain. */
const MAX_INPUT_REQUESTS = 16;

/** Returns whether a value may be the id of a task. The id becomes a header, see "Streamable HTTP: Routing Headers". */
export function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
}

/**
 * Method of a request that `tasks()` answers itself: it polls a task of an earlier connection and returns the final result of the call.
 * A server that is reached without `tasks()` does not know the method, so that nothing is carried out twice.
 */
export const RESUME_METHOD = 'com.mcp-fittings/tasks/resume';

/** Member of `_meta` of a call; its `key` is repeated in `_meta` of each `notifications/tasks` about the task of the call. */
export const TASK_META = 'com.mcp-fittings/task';

/** Reads the state of a task without what its status adds. Returns a sentence about what is wrong with it if it is malformed. */
export function readTaskState(raw: JSONRPCObject): Task | string {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = raw;
  if (!isTaskId(taskId)) return `its "taskId" is not a string of 1 to ${MAX_ID} characters`;
  if (!isStatus(status)) return 'its "status" is not one of the specification';
  return {
    taskId,
    status,
    statusMessage:
      typeof statusMessage === 'string' ? sanitizeText(statusMessage, { maxLength: MAX_MESSAGE }) : undefined,
    createdAt: timestamp(createdAt),
    lastUpdatedAt: timestamp(lastUpdatedAt),
    ttlMs: milliseconds(ttlMs) ?? null,
    pollIntervalMs: milliseconds(pollIntervalMs),
  };
}

/** Reads `CreateTaskResult` or the result of `tasks/get`. Returns a sentence about what is wrong with it if it is malformed. */
export function readTask(raw: JSONRPCObject): DetailedTask | string {
  const task = readTaskState(raw);
  if (typeof task === 'string') return task;
  const { status } = task;
  if (status === 'completed') {
    const { result } = raw;
    return isRecord(result) ? { ...task, result } : 'it is completed and has no "result"';
  }
  if (status === 'failed') {
    const { error } = raw;
    if (!isRecord(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
      return 'it has failed and has no "error"';
    }
    const { code, message, data } = error;
    return { ...task, error: { code: Number(code), message, ...(data !== undefined && { data }) } };
  }
  if (status !== 'input_required') return task;
  const inputRequests = readInputRequests(raw['inputRequests']);
  return typeof inputRequests === 'string' ? inputRequests : { ...task, inputRequests };
}

function isStatus(value: unknown): value is Task['status'] {
  return typeof value === 'string' && STATUSES.has(value);
}

function timestamp(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_TIMESTAMP ? sanitizeText(value) : undefined;
}

function milliseconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function readInputRequests(raw: unknown): ReadonlyMap<string, InputRequest> | string {
  // A seed may state the status alone: the requests come with the first poll.
  if (raw === undefined) return new Map();
  if (!isRecord(raw)) return 'its "inputRequests" is not an object';
  const entries = Object.entries(raw);
  if (entries.length > MAX_INPUT_REQUESTS) return `it has more than ${MAX_INPUT_REQUESTS} input requests`;
  const read = new Map<string, InputRequest>();
  for (const [key, request] of entries) {
    const method = isRecord(request) ? request['method'] : undefined;
    if (key.length > MAX_KEY) return `a key of its "inputRequests" is longer than ${MAX_KEY} characters`;
    if (!isRecord(request) || typeof method !== 'string' || !INPUT_METHODS.has(method)) {
      return 'one of its input requests is not a request that a client answers';
    }
    const { params } = request;
    read.set(key, { method, ...(isRecord(params) && { params }) });
  }
  return read;
}
