import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { type HostCallbacks, inspectElicitation } from '@mcp-fittings/host';
import { toElicitationRequest } from '@mcp-fittings/host/engine';
import { elicitationInput, missingCapability, type Question } from '../callbacks/client-input.js';

const STATUSES: ReadonlySet<unknown> = new Set([
  'working',
  'input_required',
  'completed',
  'cancelled',
  'failed',
]);
const MAX_MESSAGE = 1000;
const MAX_TIMESTAMP = 64;
/** Most questions of one state of a task, and most characters of the key of one: those of `tasks()`. */
const MAX_QUESTIONS = 16;
const MAX_KEY = 256;

/** The task that was asked about, and who answers its questions. */
export interface TaskStateOptions {
  readonly server: string;
  readonly taskId: string;
  /** Callbacks that the gateway declares to servers; undefined if it passes no questions on. */
  readonly callbacks: HostCallbacks | undefined;
  /** Capabilities of the client. */
  readonly capabilities: JSONRPCObject;
}

/**
 * Reads the answer of a server to `tasks/get`, without its id and its result. Members that the specification does not have are left out.
 * Throws `PROTOCOL_VIOLATION` for a malformed one, and for a question as it does for that of a call; `CAPABILITY_MISSING` if the client
 * or the gateway cannot answer one.
 */
export function readTaskState(raw: JSONRPCObject, options: TaskStateOptions): JSONRPCObject {
  const { server } = options;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = raw;
  if (taskId !== options.taskId) throw malformed(server, 'its "taskId" is that of another task');
  if (!STATUSES.has(status)) throw malformed(server, 'its "status" is not one of the specification');
  return {
    status,
    ttlMs: isDuration(ttlMs) ? ttlMs : null,
    ...(typeof statusMessage === 'string' && {
      statusMessage: sanitizeText(statusMessage, { maxLength: MAX_MESSAGE }),
    }),
    ...(isTimestamp(createdAt) && { createdAt }),
    ...(isTimestamp(lastUpdatedAt) && { lastUpdatedAt }),
    ...(isDuration(pollIntervalMs) && { pollIntervalMs }),
    ...(status === 'failed' && { error: readError(raw['error'], server) }),
    ...(status === 'input_required' && { inputRequests: readQuestions(raw['inputRequests'], options) }),
  };
}

function readError(error: unknown, server: string): JSONRPCObject {
  if (!isRecord(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string')
    throw malformed(server, 'it has failed and has no "error"');
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}

function readQuestions(raw: unknown = {}, options: TaskStateOptions): JSONRPCObject {
  const { server, capabilities } = options;
  if (!isRecord(raw)) throw malformed(server, 'its "inputRequests" is not an object');
  const entries = Object.entries(raw);
  if (entries.length > MAX_QUESTIONS || entries.some(([key]) => key.length > MAX_KEY))
    throw malformed(server, 'it has too many questions, or too long keys of them');
  return Object.fromEntries(
    entries.map(([key, each]) => {
      const question = readQuestion(each, options);
      const clientCapability = missingCapability(question, capabilities);
      if (clientCapability === undefined) return [key, question];
      throw new FittingsError(
        'CAPABILITY_MISSING',
        `The client does not have the capability "${clientCapability}", which the task requires.`,
        { server, delivery: 'unknown', details: { clientCapability } },
      );
    }),
  );
}

/** Returns a question as a client would get that of a call. */
function readQuestion(raw: unknown, { server, callbacks = {} }: TaskStateOptions): Question {
  const { method, params: given }: JSONRPCObject = isRecord(raw) ? raw : {};
  const params = isRecord(given) ? given : {};
  switch (method) {
    case 'elicitation/create': {
      if (callbacks.elicit === undefined) throw unanswered(server, method);
      const asked = inspectElicitation(toElicitationRequest(server, params));
      if (callbacks.elicitationModes?.includes(asked.mode) !== false) return elicitationInput(asked);
      throw malformed(server, `it has an elicitation of mode "${asked.mode}", which was not declared`);
    }
    case 'sampling/createMessage':
      if (callbacks.sample === undefined) throw unanswered(server, method);
      return { method, params };
    case 'roots/list':
      if (callbacks.roots === undefined) throw unanswered(server, method);
      return { method };
    default:
      throw malformed(server, 'one of its questions is not one that a client answers');
  }
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TIMESTAMP && sanitizeText(value) === value;
}

function malformed(server: string, what: string): FittingsError {
  const text = `The server "${server}" returned a malformed task: ${what}.`;
  return new FittingsError('PROTOCOL_VIOLATION', text, { server, delivery: 'unknown' });
}

function unanswered(server: string, method: string): FittingsError {
  const text = `A task of the server "${server}" requires a capability that this gateway does not have: ${method}`;
  return new FittingsError('CAPABILITY_MISSING', text, { server, delivery: 'unknown' });
}
