/**
 * Requests that change nothing or are idempotent. `tools/call` is not one of them: only a host that knows the tool can tell.
 */
const SAFE: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tools/list',
]);

/**
 * Returns whether the server may carry out a message twice without harm: a request that changes nothing or is idempotent, a
 * notification of the protocol, or a response. Other requests are not sent again after a 429 or 503, because such a status may
 * come from a gateway after the server has done the work.
 *
 * @param message A JSON-RPC message; a message without `method` is a response.
 */
export function isSafeToRepeat(message: object): boolean {
  const method = 'method' in message ? message.method : undefined;
  // A server that gets two responses to one request takes the first.
  if (typeof method !== 'string') return true;
  return SAFE.has(method) || (!('id' in message) && method.startsWith('notifications/'));
}
