import type { Tools } from '@mcp-fittings/tools';
import type { ModelApi, ToolCall } from './model-api.js';
import type { Model } from './scripted-model.js';

export interface AgentOptions {
  readonly tools: Tools;
  readonly api: ModelApi;
  readonly model: Model;
  /** Told of each call, for the person at the terminal. */
  readonly onCall: (call: ToolCall, outcome: string) => void;
}

const MOST_TURNS = 20;

/** The loop of every agent: offer the tools, run what the model calls, give back what came of it, until it answers. */
export async function runAgent({ tools, api, model, onCall }: AgentOptions): Promise<string> {
  const messages: object[] = [];
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    // One snapshot a turn: names are resolved by what the model was offered.
    const toolset = tools.snapshot();
    const said = model({ tools: api.tools(toolset.tools), messages });
    if ('answer' in said) return said.answer;
    // Progress and partial texts could be shown with `onEvent` while the tool runs.
    const { rendering } = await toolset.run(said.call.name, said.call.args);
    messages.push(said.call, api.result(said.call, rendering));
    onCall(said.call, rendering.text);
  }
  throw new Error('The model does not come to an end.');
}
