import { anthropicToolResult, anthropicTools, type Tools } from '@mcp-fittings/tools';

/** Sends a request to a model: the part of the Messages API of Anthropic that a tool loop needs. */
export type Model = (request: {
  readonly tools: ReturnType<typeof anthropicTools>;
  readonly messages: readonly object[];
}) => Promise<readonly ModelBlock[]>;

export type ModelBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

const MAX_TURNS = 20;

/** Offers the tools to the model, runs its calls and returns their results, until it answers. */
export async function runAgent(tools: Tools, model: Model, task: string): Promise<string> {
  const messages: object[] = [{ role: 'user', content: task }];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const offered = tools.snapshot(); // one snapshot per turn: a name means the tool that the model was shown
    const content = await model({ tools: anthropicTools(offered.tools), messages });
    messages.push({ role: 'assistant', content });
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return content.map((block) => ('text' in block ? block.text : '')).join('');
    const results = await Promise.all(
      calls.map(async ({ id, name, input }) => {
        const { rendering } = await offered.run(name, input);
        return anthropicToolResult(id, rendering);
      }),
    );
    messages.push({ role: 'user', content: results });
  }
  throw new Error(`The model did not answer within ${MAX_TURNS} turns.`);
}
