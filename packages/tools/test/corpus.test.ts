import type { CatalogTool } from '@mcp-fittings/host';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRealTools } from './corpus/real-servers.mjs';
import { aiSdkTools } from '../src/definitions/ai-sdk.js';
import { anthropicTools } from '../src/definitions/anthropic.js';
import { geminiFunctions } from '../src/definitions/gemini.js';
import { openAiChatTools } from '../src/definitions/openai.js';
import { nameLimits } from '../src/names/name-limits.js';
import { naming } from '../src/names/naming.js';
import { createTools, type Toolset } from '../src/toolset.js';
import { fakeHost } from './support/fake-host.js';

const MUST_CONVERT = ['everything', 'filesystem', 'memory'];

describe('every tool of eleven real servers', () => {
  let catalogue: readonly CatalogTool[] = [];
  let toolset: Toolset;

  beforeAll(async () => {
    catalogue = await readRealTools();
    toolset = createTools(fakeHost(catalogue)).snapshot();
  }, 180_000);

  it('U3 converts: at least 300 schemas, none by fallback, none refused', () => {
    const schemas = toolset.tools.flatMap(({ name, ref, input, output }) =>
      [input, output].flatMap((schema) => (schema === undefined ? [] : [{ name, ref, schema }])),
    );
    expect(schemas.length).toBeGreaterThanOrEqual(300);
    expect(new Set(schemas.map(({ ref }) => ref.server)).size).toBe(11);
    expect(toolset.left).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.coverage === 'fallback')).toEqual([]);
    const lost = schemas.filter(({ schema }) => schema.coverage === 'loss');
    expect(lost.filter(({ ref }) => MUST_CONVERT.includes(ref.server))).toEqual([]);
    // One quadratic pattern of one server, which is checked in the thread.
    expect(lost.length).toBeLessThanOrEqual(4);
    for (const { schema } of lost)
      expect(schema.losses.every(({ keyword }) => keyword === 'pattern')).toBe(true);
  });

  it('U1 U2 has a name within the limits of every model API, under every strategy', () => {
    for (const strategy of Object.values(naming)) {
      for (const limits of Object.values(nameLimits)) {
        const { names, tools } = createTools(fakeHost(catalogue), { naming: strategy, limits }).snapshot();
        expect(names.size).toBe(catalogue.length);
        for (const { name, ref } of tools) {
          expect(name).toMatch(new RegExp(`^${limits.allowed.source}{1,${limits.maxLength}}$`));
          expect(names.refOf(name)).toEqual(ref);
        }
      }
    }
  });

  it('U4 has a definition for every model API', () => {
    const count = catalogue.length;
    const { tools } = toolset;
    for (const { input_schema: schema } of anthropicTools(tools)) {
      expect(schema.type).toBe('object');
      expect(Object.keys(schema)).not.toContain('anyOf');
    }
    expect(openAiChatTools(tools, { strictWherePossible: true })).toHaveLength(count);
    expect(geminiFunctions(tools)).toHaveLength(count);
    expect(Object.keys(aiSdkTools(toolset))).toHaveLength(count);
  });

  it('CO-01 no text for the model holds a control sequence', () => {
    for (const { title, description, inputSchema } of toolset.tools) {
      expect(`${title}${description}${JSON.stringify(inputSchema)}`).not.toMatch(/[^\P{C}\n\t]/u);
    }
  });
});
