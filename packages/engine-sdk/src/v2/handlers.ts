import { isSpecType } from '@modelcontextprotocol/client';
import { FittingsError } from '@mcp-fittings/client-core';
import {
  elicited,
  toElicitationRequest,
  type EngineConnectOptions,
  type EngineRequestInfo,
} from '@mcp-fittings/host/engine';
import type { ContextualClient } from './contextual-client.js';

/**
 * Passes the requests and notifications of a server on to the host. With a stateless server, the same handlers answer the
 * requests that arrive inside results.
 */
export function attachHandlers(
  client: ContextualClient,
  { server, callbacks, events }: EngineConnectOptions,
): void {
  const { elicit, sample, roots } = callbacks;
  const infoOf = (signal: AbortSignal): EngineRequestInfo => ({
    server,
    signal,
    call: client.call,
  });
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const answer = await elicit(toElicitationRequest(server, params), infoOf(mcpReq.signal));
      return answer.action === 'accept'
        ? { action: answer.action, content: elicited(answer.content ?? {}) }
        : { action: answer.action };
    });
  }
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const result: unknown = await sample(params, infoOf(mcpReq.signal));
      if (isSpecType.CreateMessageResult(result) || isSpecType.CreateMessageResultWithTools(result))
        return result;
      throw new FittingsError(
        'CALLBACK_FAILED',
        `The sampling callback for the server "${server}" did not return a result of sampling/createMessage.`,
        { server },
      );
    });
  }
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', async (_request, { mcpReq }) => ({
      roots: (await roots(infoOf(mcpReq.signal))).map(({ uri, name }) => ({
        uri,
        ...(name !== undefined && { name }),
      })),
    }));
  }
  client.setNotificationHandler('notifications/message', ({ params }) =>
    events.log({ level: params.level, logger: params.logger, data: params.data }),
  );
  client.setNotificationHandler('notifications/tools/list_changed', () => events.listChanged('tools'));
  client.setNotificationHandler('notifications/prompts/list_changed', () => events.listChanged('prompts'));
  client.setNotificationHandler('notifications/resources/list_changed', () =>
    events.listChanged('resources'),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    events.resourceUpdated(params.uri),
  );
}
