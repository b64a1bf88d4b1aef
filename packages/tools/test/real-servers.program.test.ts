import { createHost, type CatalogTool } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { aiSdkTools } from '../src/model-apis/ai-sdk.js';
import { anthropicTools } from '../src/model-apis/anthropic.js';
import { geminiFunctions } from '../src/model-apis/gemini.js';
import { openAiChatTools } from '../src/model-apis/openai.js';
import { nameLimits } from '../src/names/shorten-name.js';
import { naming } from '../src/names/tool-names.js';
import { createTools } from '../src/create-tools.js';
import type { Toolset } from '../src/calls/toolset.js';
import { fakeHost } from './support/fake-host.js';
import { binaryOf } from './support/installed-program.js';

describe('every tool of real servers', () => {
  let catalog: readonly CatalogTool[] = [];
  let toolset: Toolset;

  beforeAll(async () => {
    const program = (name: string) => binaryOf(`@modelcontextprotocol/server-${name}`);
    await using host = createHost({ name: 'tools-test', version: '1.0.0', transports: [stdio()] });
    await host.connect({
      everything: { command: process.execPath, args: [program('everything')] },
      filesystem: { command: process.execPath, args: [program('filesystem'), import.meta.dirname] },
      memory: { command: process.execPath, args: [program('memory')] },
    });
    catalog = host.tools();
    toolset = createTools(fakeHost(catalog)).snapshot();
  });

  it('has schemas that convert exactly', () => {
    const schemas = toolset.tools.flatMap(({ name, ref, input, output }) =>
      [input, output].flatMap((schema) => (schema === undefined ? [] : [{ name, ref, schema }])),
    );
    expect(new Set(schemas.map(({ ref }) => ref.server)).size).toBe(3);
    expect(toolset.skipped).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.coverage !== 'exact')).toEqual([]);
  });

  it('has a valid name for every model API and naming strategy', () => {
    for (const strategy of Object.values(naming)) {
      for (const limits of Object.values(nameLimits)) {
        const { names, tools } = createTools(fakeHost(catalog), {
          naming: strategy,
          nameLimits: limits,
        }).snapshot();
        expect(names.size).toBe(catalog.length);
        for (const { name, ref } of tools) {
          expect(name).toMatch(new RegExp(`^${limits.allowed.source}{1,${limits.maxLength}}$`));
          expect(names.refOf(name)).toEqual(ref);
        }
      }
    }
  });

  it('has a definition for every model API', () => {
    const count = catalog.length;
    const { tools } = toolset;
    for (const { input_schema: schema } of anthropicTools(tools)) {
      expect(schema.type).toBe('object');
      expect(Object.keys(schema)).not.toContain('anyOf');
    }
    expect(openAiChatTools(tools, { strictWherePossible: true })).toHaveLength(count);
    expect(geminiFunctions(tools)).toHaveLength(count);
    expect(Object.keys(aiSdkTools(toolset))).toHaveLength(count);
  });

  it('texts for the model contain no control sequences', () => {
    for (const { title, description, inputSchema } of toolset.tools) {
      expect(`${title}${description}${JSON.stringify(inputSchema)}`).not.toMatch(/[^\P{C}\n\t]/u);
    }
  });
});
