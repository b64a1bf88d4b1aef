import { readFileSync } from 'node:fs';
import { Agent, Runner, Usage, type Model, type ModelResponse } from 'openai-agents-oldest';
import { describeAdapter } from '../suite/adapter-suite.js';
import { openAiAgentsDriver } from './openai-agents-driver.js';

const manifest = new URL('../node_modules/openai-agents-oldest/package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

describeAdapter(
  openAiAgentsDriver({
    version,
    passesSignal: false,
    async run(servers, answer, options) {
      const model: Model = {
        getResponse: async (request): Promise<ModelResponse> => ({
          usage: new Usage(),
          output: [...answer(request)],
        }),
        getStreamedResponse() {
          throw new Error('not streamed');
        },
      };
      const agent = new Agent({ name: 'Agent', model, mcpServers: [...servers] });
      await new Runner({ tracingDisabled: true }).run(agent, 'Do it.', options);
    },
  }),
);
