import type { Tools } from '@mcp-fittings/tools';
import type { ModelApi, ToolCall } from './model-api.js';
import type { Model } from './scripted-model.js';

export interface AgentOptions {
  readonly tools: Tools;
  readonly api: ModelApi;
  readonly model: Model;
  /** Called after each call, to print it. */
  readonly onCall: (call: ToolCall, outcome: string) => void;
}

const MAX_TURNS = 20;

/** Offers the tools to the model, runs its calls and returns their results, until it answers. */
export async function runAgent({ tools, api, model, onCall }: AgentOptions): Promise<string> {
  const messages: object[] = [];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    // One snapshot per turn: a name means the tool that the model was shown.
    const toolset = tools.snapshot();
    const said = model({ tools: api.tools(toolset.tools), messages });
    if ('answer' in said) return said.answer;
    // Pass `onEvent` to show progress and partial text while the tool runs.
    const { rendering } = await toolset.run(said.call.name, said.call.args);
    messages.push(said.call, api.result(said.call, rendering));
    onCall(said.call, rendering.text);
  }
  throw new Error(`The model did not answer within ${MAX_TURNS} turns.`);
}
