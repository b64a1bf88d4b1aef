import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { elicited, toElicitationRequest, type EngineConnectOptions } from '@mcp-fittings/host/engine';

/** Passes the requests and notifications of a server on to the host. */
export function attachHandlers(client: Client, { server, callbacks, events }: EngineConnectOptions): void {
  const { elicit, sample, roots } = callbacks;
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      const answer = await elicit(toElicitationRequest(server, params), { server, signal });
      return answer.action === 'accept'
        ? { action: answer.action, content: elicited(answer.content ?? {}) }
        : { action: answer.action };
    });
  }
  if (sample !== undefined) {
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, { signal }) =>
      CreateMessageResultSchema.parse(await sample(params, { server, signal })),
    );
  }
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, async (_request, { signal }) => ({
      roots: (await roots({ server, signal })).map(({ uri, name }) => ({ uri, name })),
    }));
  }
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
    events.log({ level: params.level, logger: params.logger, data: params.data }),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.listChanged('tools'));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => events.listChanged('prompts'));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => events.listChanged('resources'));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
    events.resourceUpdated(params.uri),
  );
}
