import { createHost } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { aiSdkTools } from '../src/model-apis/ai-sdk.js';
import { anthropicTools } from '../src/model-apis/anthropic.js';
import { geminiFunctions } from '../src/model-apis/gemini.js';
import { openAiChatTools } from '../src/model-apis/openai.js';
import { createTools } from '../src/create-tools.js';
import type { Toolset } from '../src/calls/toolset.js';
import { fakeHost } from './support/fake-host.js';
import { binaryOf } from './support/installed-program.js';

describe('every tool of real servers', () => {
  let toolset: Toolset;

  beforeAll(async () => {
    const program = (name: string) => binaryOf(`@modelcontextprotocol/server-${name}`);
    await using host = createHost({ name: 'tools-test', version: '1.0.0', transports: [stdio()] });
    await host.connect({
      everything: { command: process.execPath, args: [program('everything')] },
      filesystem: { command: process.execPath, args: [program('filesystem'), import.meta.dirname] },
      memory: { command: process.execPath, args: [program('memory')] },
    });
    toolset = createTools(fakeHost(host.tools())).snapshot();
  });

  it('has schemas that convert exactly', () => {
    const schemas = toolset.tools.flatMap(({ name, ref, input, output }) =>
      [input, output].flatMap((schema) => (schema === undefined ? [] : [{ name, ref, schema }])),
    );
    expect(new Set(schemas.map(({ ref }) => ref.server)).size).toBe(3);
    expect(toolset.skipped).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.coverage !== 'exact')).toEqual([]);
  });

  it('has a definition for every model API', () => {
    const { tools } = toolset;
    const count = tools.length;
    for (const { input_schema: schema } of anthropicTools(tools)) {
      expect(schema.type).toBe('object');
      expect(Object.keys(schema)).not.toContain('anyOf');
    }
    expect(openAiChatTools(tools, { strictWherePossible: true })).toHaveLength(count);
    expect(geminiFunctions(tools)).toHaveLength(count);
    expect(Object.keys(aiSdkTools(toolset))).toHaveLength(count);
  });
});
