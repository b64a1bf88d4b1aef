import {
  nameLimits,
  naming,
  type ConfirmOutcome,
  type NameLimits,
  type NamingStrategy,
} from '@mcp-fittings/tools';
import { anthropic, gemini, openAiChat, openAiResponses, type ModelApi } from './model-api.js';

/** How a host names tools, which model API it uses, and what its user answers. */
export interface HostStyle {
  readonly title: string;
  readonly naming: NamingStrategy;
  readonly nameLimits: NameLimits;
  readonly api: ModelApi;
  /** The answer of the user to the question whether a tool may run. */
  readonly answer: ConfirmOutcome;
}

/** Each naming strategy of `@mcp-fittings/tools`, and a custom one. */
export const hosts: readonly HostStyle[] = [
  {
    title: 'Bare names, server__tool in a collision',
    naming: naming.bare,
    nameLimits: nameLimits.openai,
    api: openAiChat,
    answer: 'once',
  },
  {
    title: 'mcp_server_tool, each tool approved separately',
    naming: naming.mcpSingle,
    nameLimits: nameLimits.anthropic,
    api: anthropic,
    answer: 'always-tool',
  },
  {
    title: 'mcp__server__tool, the whole server approved at once',
    naming: naming.mcpPrefixed,
    nameLimits: nameLimits.anthropic,
    api: anthropic,
    answer: 'always-server',
  },
  {
    title: 'Bare names of at most 63 characters, with dots',
    naming: naming.bare,
    nameLimits: nameLimits.gemini,
    api: gemini,
    answer: 'always-server',
  },
  {
    title: 'mcp__server__tool, with the Responses API of OpenAI',
    naming: naming.mcpPrefixed,
    nameLimits: nameLimits.openai,
    api: openAiResponses,
    answer: 'once',
  },
  {
    title: 'A custom function: tool_at_server',
    naming: ({ server, tool }) => `${tool}_at_${server}`,
    nameLimits: nameLimits.portable,
    api: anthropic,
    answer: 'once',
  },
];
