import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { restateError } from '@mcp-fittings/toolbox/errors';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';

/**
 * Calls a tool, as a task of revision 2025-11-25 if the server runs it only as one, and resolves with its result. The server answers
 * `tasks/result` when the task is over, and sends its questions meanwhile. If the caller gives up, the task is canceled.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#result-retrieval
 */
export async function callAsTask(
  session: EngineSession,
  params: JSONRPCObject,
  options: EngineRequestOptions,
): Promise<JSONRPCObject> {
  if (!requiresTask(session, options)) return session.request('tools/call', params, options);
  const created = await session.request(
    'tools/call',
    { ...params, task: {} },
    // Its token would be valid until the end of the task, and not only until this response.
    { ...options, onProgress: undefined },
  );
  const taskId = member(created['task'], 'taskId');
  if (typeof taskId !== 'string') return created;
  const { _meta: meta } = params;
  const about = { taskId, ...(meta !== undefined && { _meta: meta }) };
  try {
    return await session.request('tasks/result', about, options);
  } catch (error) {
    if (!(error instanceof FittingsError)) throw error;
    if (error.code === 'ABORTED' || error.code === 'TIMEOUT') {
      session
        .request('tasks/cancel', about, { ...options, signal: undefined, onProgress: undefined })
        .catch(() => undefined);
    }
    // The server has accepted the call, whatever became of the request for its result.
    throw restateError(error, { delivery: 'unknown' });
  }
}

/**
 * Returns whether a server runs a tool only as a task of revision 2025-11-25. What the tool says counts only if the server declares
 * tasks for tool calls.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
function requiresTask(
  { era, capabilities }: EngineSession,
  { definition }: Pick<EngineRequestOptions, 'definition'>,
): boolean {
  if (era.kind !== 'initialize' || definition?.execution?.taskSupport !== 'required') return false;
  return isRecord(['requests', 'tools', 'call'].reduce(member, capabilities['tasks']));
}

function member(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
