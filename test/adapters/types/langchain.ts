/**
 * Compiled by `test/adapters/run.mjs` with each supported TypeScript: the types of LangChain, newest and oldest, accept ours without a cast,
 * under strict settings.
 */
import { createLangChainAdapter } from '@mcp-fittings/adapter-langchain';
import type { Tools } from '@mcp-fittings/tools';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool, type StructuredToolInterface } from '@langchain/core/tools';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import type { BaseChatModel as OldestModel } from 'langchain-core-oldest/language_models/chat_models';
import { ToolMessage as OldestMessage } from 'langchain-core-oldest/messages';
import {
  DynamicStructuredTool as OldestTool,
  type StructuredToolInterface as OldestInterface,
} from 'langchain-core-oldest/tools';

declare const tools: Tools;
declare const model: BaseChatModel;
declare const oldestModel: OldestModel;

export function newest(): void {
  const adapter = createLangChainAdapter(tools, {
    createTool: (fields) => new DynamicStructuredTool(fields),
    createMessage: (fields) => new ToolMessage(fields),
  });
  const plain: StructuredToolInterface[] = adapter.structuredTools();
  createAgent({ model, tools: adapter.structuredTools() });
  createAgent({ model, tools: plain });
  void new ToolNode(adapter.structuredTools());
  model.bindTools?.(adapter.structuredTools());
}

export function oldest(): void {
  const adapter = createLangChainAdapter(tools, {
    createTool: (fields) => new OldestTool(fields),
    createMessage: (fields) => new OldestMessage(fields),
  });
  const plain: OldestInterface[] = adapter.structuredTools();
  oldestModel.bindTools?.(plain);
}
