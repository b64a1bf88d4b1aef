import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { codeBlocks, pagesBelow, unusedHelpers, type CodeBlock } from './support/code-blocks.js';
import { compileBlocks, waysToRun, type CompiledBlocks } from './support/compiled-blocks.js';
import { startModelStandIn } from './support/model-stand-in.js';

const root = join(import.meta.dirname, '../../..');
/** Without the recipes and adapters for frameworks, which `test/adapters/` installs, compiles and runs. */
const pages = ['README.md', ...pagesBelow(root, 'docs')].filter((page) => page !== 'docs/frameworks.md');
const readmes = readdirSync(join(root, 'packages'))
  .filter((name) => !name.startsWith('adapter-'))
  .map((name) => `packages/${name}/README.md`)
  .filter((page) => existsSync(join(root, page)));
const blocks = [...pages, ...readmes].flatMap((page) => codeBlocks(root, page));
/** The first of each README of a package: the example that a new user copies. */
const examples = readmes.flatMap((page) =>
  blocks.filter(({ place }) => place.startsWith(`${page}:`)).slice(0, 1),
);

/** The APIs that blocks of the documentation call, and what their results have a field for. */
const modelApis: readonly ModelApi[] = [
  { name: 'AI SDK', uses: /from '@ai-sdk\/openai'/ },
  { name: 'OpenAI Responses', uses: /openai\.responses\.create/ },
  { name: 'OpenAI Chat Completions', uses: /openai\.chat\.completions\.create/, images: [] },
  { name: 'Anthropic Messages', uses: /from '@anthropic-ai\/sdk'/, marksFailures: true },
  { name: 'Gemini', uses: /from '@google\/genai'/, marksFailures: true },
];

interface ModelApi {
  readonly name: string;
  readonly uses: RegExp;
  readonly images?: readonly string[];
  readonly marksFailures?: boolean;
}

const toolCall = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ name: z.string(), arguments: z.looseObject({}) }),
});

let compiled: CompiledBlocks;
beforeAll(async () => {
  compiled = await compileBlocks(blocks);
});
afterAll(() => compiled[Symbol.asyncDispose]());

it('the README of every package begins with an example to copy', () => {
  expect(examples).toHaveLength(readmes.length);
  expect(examples.filter(({ code, imported }) => imported || code.length <= 100)).toEqual([]);
});

describe('every code block of the documentation and of the READMEs', () => {
  it('compiles', () => {
    expect(compiled.complaints).toBe('');
  });

  const runs = blocks
    .filter((block) => !block.imported)
    .flatMap((block) => waysToRun(block).map((how) => ({ block, how, place: block.place })));
  const api = (block: CodeBlock) => modelApis.find(({ uses }) => uses.test(block.code));

  it.concurrent.each(runs.filter(({ block }) => api(block) === undefined))(
    'runs and ends by itself, $how: $place',
    ({ block, how }) => compiled.run(block, how),
  );

  it('one that does not run by itself is imported by one that does', () => {
    expect(unusedHelpers(blocks).map(({ place }) => place)).toEqual([]);
  });

  it('every model API has a block', () => {
    const seen = runs.map(({ block }) => api(block)?.name);
    expect(modelApis.filter(({ name }) => !seen.includes(name))).toEqual([]);
  });

  it.concurrent.each(runs.filter(({ block }) => api(block) !== undefined))(
    'runs the tools that a model calls, $how: $place',
    async ({ block, how }) => {
      await using model = await startModelStandIn([
        { name: 'mcp__demo__get-sum', args: { a: 4711, b: 1089 } },
        { name: 'mcp__demo__get-tiny-image', args: {} },
        { name: 'mcp__demo__get-sum', args: { a: 'forty', b: 2 } },
      ]);
      const { stdout, stderr, received } = await compiled
        .observe(block, how, model.env)
        .catch((error: unknown) => {
          throw new Error(model.refusals.join('\n'), { cause: error });
        });

      expect(model.refusals).toEqual([]);
      const calls = received.flatMap((message) => {
        const { data } = toolCall.safeParse(message);
        return data === undefined ? [] : [data.params];
      });
      // Calls may run at once, so in any order. The third is refused before it is sent.
      expect(calls.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
        { name: 'get-sum', arguments: { a: 4711, b: 1089 } },
        { name: 'get-tiny-image', arguments: {} },
      ]);
      const { images = ['image/png'], marksFailures } = api(block) ?? {};
      const failed = (value: boolean) => (marksFailures === true ? { failed: value } : {});
      expect(model.requests.map(({ results }) => results)).toEqual([
        [],
        [
          { text: 'The sum of 4711 and 1089 is 5800.', images: [], ...failed(false) },
          { text: expect.stringContaining("Here's the image you requested:"), images, ...failed(false) },
          { text: expect.stringContaining('invalid: a:'), images: [], ...failed(true) },
        ],
      ]);
      // The SDKs warn of models that are about to be shut down.
      expect(stderr).not.toMatch(/deprecat/i);
      expect(stdout).toContain('The tool said: The sum of 4711 and 1089 is 5800.');
    },
  );
});
