/**
 * Requests that change nothing, or bring about the same state twice as once. `tools/call` is not among them: only a host that
 * knows the tool can say that.
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
 * Whether a message does no harm when the server carries it out twice. A refusal of any other request proves nothing when its
 * status may also come from behind the server's work (429, 503).
 */
export function isSafeToRepeat(message: object): boolean {
  const method = 'method' in message ? message.method : undefined;
  // Of two answers to one request the server takes the first.
  if (typeof method !== 'string') return true;
  return SAFE.has(method) || (!('id' in message) && method.startsWith('notifications/'));
}
