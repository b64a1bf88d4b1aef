import { readFileSync } from 'node:fs';
import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models';
import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { DynamicStructuredTool, type StructuredTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { createAgent } from 'langchain';
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
    version: `langchain ${versionOf('langchain')} on LangGraph`,
    createTool: (fields) => new DynamicStructuredTool(fields),
    createMessage: (fields) => new ToolMessage(fields),
    async run(tools, answer, options) {
      const agent = createAgent({ model: new ScriptedModel(answer), tools });
      await agent.invoke({ messages: [{ role: 'user', content: 'Do it.' }] }, options);
    },
  }),
);
