import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { publicPackages } from '../../../scripts/workspace.mjs';
import { codeBlocks, pagesBelow, unusedHelpers, type CodeBlock } from './support/code-blocks.js';
import { compileBlocks, waysToRun, type CompiledBlocks } from './support/compiled-blocks.js';
import { startModelStandIn } from './support/model-stand-in.js';

const root = join(import.meta.dirname, '../../..');
/** Without the recipes for frameworks, which `test/adapters/` installs, compiles and runs. */
const pages = ['README.md', ...pagesBelow(root, 'docs')].filter((page) => page !== 'docs/frameworks.md');
const blocks = pages.flatMap((page) => codeBlocks(root, page));

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

describe('every code block of the documentation', () => {
  it('compiles', () => {
    expect(compiled.complaints).toBe('');
  });

  const runs = blocks
    .filter((block) => !block.imported)
    .flatMap((block) => waysToRun(block).map((how) => ({ block, how, place: block.place })));
  const api = (block: CodeBlock) => modelApis.find(({ uses }) => uses.test(block.code));

  it.each(runs.filter(({ block }) => api(block) === undefined))(
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

  it.each(runs.filter(({ block }) => api(block) !== undefined))(
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

it('the architecture page has every package, with what it stands on and brings', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| [`'))
    .map((line) => line.replaceAll(/ +/g, ' '));
  const list = (names: readonly string[]): string =>
    names.map((name) => `\`${name}\``).join(', ') || 'nothing';
  const expected = publicPackages(root).map(({ folder, manifest }) => {
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).toSorted();
    const ours = needed.filter((name) => name.startsWith('@mcp-fittings/'));
    const others = needed.filter((name) => !ours.includes(name));
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
    const ourNames = ours.map((name) => name.slice('@mcp-fittings/'.length));
    return `| [\`${folder}\`](../packages/${folder}/README.md) | ${list(ourNames)} | ${list(others)} | ${list(entries)} |`;
  });
  expect(rows.toSorted()).toEqual(expected.toSorted());
});

it('the README has every package', () => {
  const page = readFileSync(join(root, 'README.md'), 'utf8');
  const named = [...page.matchAll(/^\| \[`([\w-]+)`\]\(packages\/\1\)/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(publicPackages(root).map(({ folder }) => folder)));
});
