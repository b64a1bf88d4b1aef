import { isSpecType, type Client } from '@modelcontextprotocol/client';
import { FittingsError } from '@mcp-fittings/client-core';
import type { EngineConnectOptions } from '../../contracts/engine.js';
import { elicited, toElicitationRequest } from '../shared/elicitation.js';

/**
 * Passes the requests and notifications of a server on to the host. With a stateless server, the same handlers answer the
 * requests that arrive inside results.
 */
export function attachHandlers(client: Client, { server, callbacks, events }: EngineConnectOptions): void {
  const { elicit, sample, roots } = callbacks;
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const answer = await elicit(toElicitationRequest(server, params), { server, signal: mcpReq.signal });
      return answer.action === 'accept'
        ? { action: answer.action, content: elicited(answer.content ?? {}) }
        : { action: answer.action };
    });
  }
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const result: unknown = await sample(params, { server, signal: mcpReq.signal });
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
      roots: (await roots({ server, signal: mcpReq.signal })).map(({ uri, name }) => ({
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
