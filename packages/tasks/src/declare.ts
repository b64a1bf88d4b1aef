import type { JSONRPCNotification, JSONRPCObject, JSONRPCRequest } from '@mcp-fittings/client-core';
import { isRecord, META } from '@mcp-fittings/toolbox/messages';
import { RESUME_METHOD, TASK_META, TASKS_EXTENSION } from '@mcp-fittings/toolbox/tasks';

/** Returns whether a request declares the capabilities of the client, as all do from the revision 2026-07-28 on. */
export function isStateless({ params }: JSONRPCRequest): boolean {
  return isRecord(params?._meta?.[META.clientCapabilities]);
}

/** Returns whether a server declares the extension in its result of `initialize`. */
export function declaresTasks({ capabilities }: JSONRPCObject): boolean {
  const extensions = isRecord(capabilities) ? capabilities['extensions'] : undefined;
  return isRecord(extensions) && isRecord(extensions[TASKS_EXTENSION]);
}

/**
 * Returns the request with the extension declared: in `initialize`, and in each request that may lead to a task or, from the revision
 * 2026-07-28 on, in each request. A server of an earlier revision is told in a call only if it declares the extension itself.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md section "Capability Negotiation"
 */
export function declareTasks(request: JSONRPCRequest, isServerDeclared: boolean): JSONRPCRequest {
  const { method, params = {} } = request;
  if (method === 'initialize') {
    return { ...request, params: { ...params, capabilities: withExtension(params['capabilities']) } };
  }
  const isCall = method === 'tools/call' || method === RESUME_METHOD || method.startsWith('tasks/');
  if (!isStateless(request) && !(isCall && isServerDeclared)) return request;
  const meta = params._meta ?? {};
  const capabilities = withExtension(meta[META.clientCapabilities]);
  return { ...request, params: { ...params, _meta: { ...meta, [META.clientCapabilities]: capabilities } } };
}

function withExtension(given: unknown): Record<string, unknown> {
  const capabilities = isRecord(given) ? given : {};
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { [TASKS_EXTENSION]: {}, ...(isRecord(extensions) && extensions) } };
}

/** Returns the message without what passes between `withTasks()` and its client only: no server reads it or sends it. */
export function withoutMarker<T extends JSONRPCRequest | JSONRPCNotification>(message: T): T {
  const meta: unknown = message.params?._meta;
  if (!isRecord(meta) || !(TASK_META in meta)) return message;
  const { [TASK_META]: _marker, ...rest } = meta;
  return { ...message, params: { ...message.params, _meta: rest } };
}
