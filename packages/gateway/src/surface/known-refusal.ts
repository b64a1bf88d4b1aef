import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { Scope } from '../catalog/exposure.js';
import type { RpcError } from '../contracts/rpc-error.js';
import { toRpcError } from './rpc-errors.js';
import type { SurfaceDeps } from './surface-deps.js';

/**
 * Returns the error of a call that a rate limit is known to refuse, before anything is done for it. Everything that the limits do not count passes: the answers to questions of a call that was admitted, for example.
 */
export function knownRefusal(scope: Scope, message: unknown, deps: SurfaceDeps): RpcError | undefined {
  const { limiter, observe } = deps.options;
  if (limiter === undefined || !isRecord(message) || !isRecord(message['params'])) return undefined;
  const { method, params } = message;
  const target = method === 'resources/read' ? params['uri'] : params['name'];
  if (typeof method !== 'string' || typeof target !== 'string' || 'requestState' in params) return undefined;
  let ref: ReturnType<typeof find>;
  const error = limiter.refusal(scope.caller, () => (ref = find(scope, method, target, deps))?.server);
  if (ref === undefined || error === undefined) return undefined;
  observe?.({ caller: scope.caller, server: ref.server, method, target: ref.name, durationMs: 0, error });
  return toRpcError(error, 'modern');
}

/** Returns whom a request is for; undefined if it is not counted, or is refused for another reason. */
function find(
  scope: Scope,
  method: string,
  target: string,
  { catalog }: SurfaceDeps,
): { readonly server: string; readonly name: string } | undefined {
  try {
    if (method === 'tools/call') {
      const ref = catalog.toolRef(scope, target);
      return ref && { server: ref.server, name: ref.tool };
    }
    if (method === 'prompts/get') {
      const ref = catalog.promptRef(scope, target);
      return ref && { server: ref.server, name: ref.prompt };
    }
    const ref = method === 'resources/read' ? catalog.resourceRef(scope, target) : undefined;
    return ref && { server: ref.server, name: ref.uri };
  } catch {
    // A URI of several servers, for example.
    return undefined;
  }
}
