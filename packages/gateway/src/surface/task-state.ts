import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { type InputRequest, readTask } from '@mcp-fittings/toolbox/tasks';
import { type HostCallbacks, inspectElicitation } from '@mcp-fittings/host';
import { toElicitationRequest } from '@mcp-fittings/host/engine';
import { elicitationInput, missingCapability, type Question } from '../callbacks/client-input.js';

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
  const { server, capabilities } = options;
  const task = readTask(raw);
  if (typeof task === 'string') throw malformed(server, task);
  const { taskId, result: _result, inputRequests, ...state } = task;
  if (taskId !== options.taskId) throw malformed(server, 'its "taskId" is that of another task');
  const known = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
  if (inputRequests === undefined) return known;
  const questions = Array.from(inputRequests, ([key, request]) => {
    const question = readQuestion(request, options);
    const clientCapability = missingCapability(question, capabilities);
    if (clientCapability === undefined) return [key, question] as const;
    throw new FittingsError(
      'CAPABILITY_MISSING',
      `The client does not have the capability "${clientCapability}", which the task requires.`,
      { server, delivery: 'unknown', details: { clientCapability } },
    );
  });
  return { ...known, inputRequests: Object.fromEntries(questions) };
}

/** Returns a question as a client would get that of a call. */
function readQuestion(
  { method, params = {} }: InputRequest,
  { server, callbacks = {} }: TaskStateOptions,
): Question {
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
    // Only `roots/list` is left of what readTask() admits.
    default:
      if (callbacks.roots === undefined) throw unanswered(server, method);
      return { method };
  }
}

function malformed(server: string, what: string): FittingsError {
  const text = `The server "${server}" returned a malformed task: ${what}.`;
  return new FittingsError('PROTOCOL_VIOLATION', text, { server, delivery: 'unknown' });
}

function unanswered(server: string, method: string): FittingsError {
  const text = `A task of the server "${server}" requires a capability that this gateway does not have: ${method}`;
  return new FittingsError('CAPABILITY_MISSING', text, { server, delivery: 'unknown' });
}
