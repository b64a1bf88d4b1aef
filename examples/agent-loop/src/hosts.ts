import {
  nameLimits,
  naming,
  type ConfirmOutcome,
  type NameLimits,
  type NamingStrategy,
} from '@mcp-fittings/tools';
import { anthropic, gemini, openAiChat, openAiResponses, type ModelApi } from './model-api.js';

/** What tells one host from another here: how it names tools, which API it talks to, how it asks. */
export interface HostStyle {
  readonly title: string;
  readonly naming: NamingStrategy;
  readonly limits: NameLimits;
  readonly api: ModelApi;
  /** What the person at the terminal answers when asked whether a tool may run. */
  readonly answer: ConfirmOutcome;
}

/** The hosts A to E of the feature catalogue, and one that brings its own function. */
export const hosts: readonly HostStyle[] = [
  {
    title: 'A: bare names, server__tool in a collision',
    naming: naming.bare,
    limits: nameLimits.openai,
    api: openAiChat,
    answer: 'once',
  },
  {
    title: 'B: mcp_server_tool',
    naming: naming.mcpSingle,
    limits: nameLimits.anthropic,
    api: anthropic,
    answer: 'always-tool',
  },
  {
    title: 'C: mcp__server__tool, the whole server approved at once',
    naming: naming.mcpPrefixed,
    limits: nameLimits.anthropic,
    api: anthropic,
    answer: 'always-server',
  },
  {
    title: 'D: bare names of at most 63 characters, with dots',
    naming: naming.bare,
    limits: nameLimits.gemini,
    api: gemini,
    answer: 'always-server',
  },
  {
    title: 'E: mcp__server__tool',
    naming: naming.mcpPrefixed,
    limits: nameLimits.openai,
    api: openAiResponses,
    answer: 'once',
  },
  {
    title: 'Your own: tool_at_server',
    naming: ({ server, tool }) => `${tool}_at_${server}`,
    limits: nameLimits.portable,
    api: anthropic,
    answer: 'once',
  },
];
