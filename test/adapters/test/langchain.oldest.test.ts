import { readFileSync } from 'node:fs';
import { BaseChatModel, type BindToolsInput } from 'langchain-core-oldest/language_models/chat_models';
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from 'langchain-core-oldest/messages';
import type { ChatResult } from 'langchain-core-oldest/outputs';
import { DynamicStructuredTool, type StructuredTool } from 'langchain-core-oldest/tools';
import { convertToOpenAITool } from 'langchain-core-oldest/utils/function_calling';
import { describeAdapter } from '../suite/adapter-suite.js';
import { langChainDriver, type FunctionTool, type ModelAnswer } from './langchain-driver.js';

class ScriptedModel extends BaseChatModel {
  readonly #answer: (messages: readonly BaseMessage[], offered: readonly FunctionTool[]) => ModelAnswer;
  #offered: readonly FunctionTool[] = [];

  constructor(answer: (messages: readonly BaseMessage[], offered: readonly FunctionTool[]) => ModelAnswer) {
    super({});
    this.#answer = answer;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: BindToolsInput[]): this {
    this.#offered = tools.map((tool) => convertToOpenAITool(tool as StructuredTool));
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = new AIMessage(this.#answer(messages, this.#offered));
    return { generations: [{ text: '', message }] };
  }
}

const versionOf = (name: string): string => {
  const manifest = readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
};

describeAdapter(
  langChainDriver({
    version: `@langchain/core ${versionOf('langchain-core-oldest')}`,
    createTool: (fields) => new DynamicStructuredTool(fields),
    createMessage: (fields) => new ToolMessage(fields),
    /** LangGraph needs a newer core: this is the loop of its documentation. */
    async run(tools, answer, options) {
      const model = new ScriptedModel(answer).bindTools(tools);
      const messages: BaseMessage[] = [new HumanMessage('Do it.')];
      for (;;) {
        const message = await model.invoke(messages, options);
        const calls = message.tool_calls ?? [];
        if (calls.length === 0) return;
        messages.push(message);
        const results = calls.map(async (call): Promise<BaseMessage> => {
          const tool = tools.find(({ name }) => name === call.name);
          if (tool !== undefined) return tool.invoke({ ...call, type: 'tool_call' }, options);
          const content = `Error: ${call.name} is not a valid tool.`;
          return new ToolMessage({ content, tool_call_id: call.id ?? '', status: 'error' });
        });
        messages.push(...(await Promise.all(results)));
      }
    },
  }),
);
