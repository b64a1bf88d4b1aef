import { anthropicToolResult, anthropicTools, type Tools } from '@mcp-fittings/tools';
import type { Message, MessagesRequest } from './messages-api.js';
import type { Model } from './scripted-model.js';

export interface AgentOptions {
  readonly tools: Tools;
  readonly model: Model;
  /** Called with each request before it is sent. */
  readonly onRequest: (request: MessagesRequest) => void;
  /** Called after each call of a tool, to print it. */
  readonly onCall: (name: string, text: string) => void;
}

const MAX_TURNS = 20;

/** Creates an agent that has one conversation: the function answers one question after the other. */
export function createAgent({
  tools,
  model,
  onRequest,
  onCall,
}: AgentOptions): (question: string) => Promise<string> {
  const messages: Message[] = [];
  // What the model has loaded with `tool_search`. Without `defer` it stays empty.
  const conversation = tools.conversation();

  return async (question) => {
    messages.push({ role: 'user', content: question });
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const offered = tools.snapshot(conversation);
      const request = {
        model: 'claude-sonnet-5-5',
        max_tokens: 4096,
        tools: anthropicTools(offered.tools),
        messages,
      };
      onRequest(request);
      const { content, stop_reason } = model(JSON.stringify(request));
      messages.push({ role: 'assistant', content });
      if (stop_reason !== 'tool_use') {
        return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      }
      const results = content
        .filter((block) => block.type === 'tool_use')
        .map(async ({ id, name, input }) => {
          const { rendering } = await offered.run(name, input);
          onCall(name, rendering.text);
          return anthropicToolResult(id, rendering);
        });
      messages.push({ role: 'user', content: await Promise.all(results) });
    }
    throw new Error(`The model did not answer within ${MAX_TURNS} turns.`);
  };
}
