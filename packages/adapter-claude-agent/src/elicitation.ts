import { randomUUID } from 'node:crypto';
import { inspectElicitation, type ElicitationRequest, type HostCallbacks } from '@mcp-fittings/host';
import { elicited, toElicitationRequest } from '@mcp-fittings/host/engine';

/** `ElicitationRequest` of the SDK: a server asks the user for input. */
export interface ClaudeAgentElicitation {
  /** Name of the server. */
  serverName: string;
  /** Reason that the server gives. Untrusted. */
  message: string;
  /** `form`, the default, or `url`. */
  mode?: 'form' | 'url';
  /** The page that the user should visit, for `url`. */
  url?: string;
  /** Identifies the request for `url`. */
  elicitationId?: string;
  /** JSON Schema of the values of a form. */
  requestedSchema?: Record<string, unknown>;
}

/**
 * Makes `onElicitation` of `query()` from the callback of a host, so that the servers that Claude Code connects by itself ask the user
 * in the same way. A page that is not `http:` or `https:` is declined.
 * @param elicit `callbacks.elicit` of `createHost`.
 * @example
 * ```ts
 * query({ prompt, options: { onElicitation: toOnElicitation(elicit), mcpServers: adapter.mcpServers() } });
 * ```
 */
export function toOnElicitation(elicit: NonNullable<HostCallbacks['elicit']>): (
  request: ClaudeAgentElicitation,
  options: { signal: AbortSignal },
) => Promise<{
  /** Decision of the user. */
  action: 'accept' | 'decline' | 'cancel';
  /** The values of a form. */
  content?: Record<string, string | number | boolean | string[]>;
}> {
  return async ({ serverName, requestedSchema = {}, ...params }, { signal }) => {
    let request: ElicitationRequest;
    try {
      request = inspectElicitation(toElicitationRequest(serverName, { ...params, requestedSchema }));
    } catch {
      // A page that must not be opened.
      return { action: 'decline' };
    }
    const answer = await elicit(request, { server: serverName, signal, calls: [] });
    if (answer.action !== 'accept') return { action: answer.action };
    return { action: 'accept', ...(request.mode === 'form' && { content: elicited(answer.content ?? {}) }) };
  };
}

/**
 * Makes `callbacks.elicit` of a host from an `onElicitation` of the SDK, for a program that has one.
 * @param onElicitation `onElicitation` of `query()`. `null`, which means that it answered in another way, cancels.
 * @example
 * ```ts
 * const host = createHost({ name, version, transports, callbacks: { elicit: fromOnElicitation(onElicitation) } });
 * ```
 */
export function fromOnElicitation(
  onElicitation: (
    request: ClaudeAgentElicitation,
    options: { signal: AbortSignal; requestId: string },
  ) => Promise<{
    action: 'accept' | 'decline' | 'cancel';
    content?: Record<string, unknown> | undefined;
  } | null>,
): NonNullable<HostCallbacks['elicit']> {
  return async (request, { server, signal }) => {
    const { mode, message } = request;
    const answer = await onElicitation(
      {
        serverName: server,
        message,
        mode,
        ...(request.mode === 'form'
          ? { requestedSchema: { ...request.schema } }
          : {
              url: request.url,
              ...(request.elicitationId !== undefined && { elicitationId: request.elicitationId }),
            }),
      },
      { signal, requestId: randomUUID() },
    );
    if (answer?.action === 'accept') return { action: 'accept', content: answer.content };
    return { action: answer?.action ?? 'cancel' };
  };
}
