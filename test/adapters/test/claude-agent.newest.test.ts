import { readFileSync } from 'node:fs';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { describeAdapter } from '../suite/adapter-suite.js';
import { claudeAgentDriver } from './claude-agent-driver.js';

const manifest = new URL('../node_modules/@anthropic-ai/claude-agent-sdk/package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

describeAdapter(
  claudeAgentDriver({
    version,
    async query(options) {
      const running = query({
        prompt: 'Do it.',
        options: {
          ...options,
          model: 'claude-sonnet-4-5',
          tools: [],
          settingSources: [],
          persistSession: false,
        },
      });
      for await (const message of running)
        if (message.type === 'result' && message.subtype !== 'success') throw new Error(message.subtype);
    },
  }),
);
