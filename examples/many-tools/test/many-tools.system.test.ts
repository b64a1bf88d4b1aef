import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../scripts/describe-with.js';
import { runExample } from '../../../scripts/run-example.js';

const main = join(import.meta.dirname, '../dist/main.js');
const servers = join(import.meta.dirname, '../../../test/corpus/node_modules');

describeWith(
  { missing: [servers].filter((path) => !existsSync(path)), packages: 'npm ci --prefix test/corpus' },
  'with over 1000 tools of over 30 real servers',
  () => {
    it('an agent that searches for tools needs under a tenth of the tokens, and answers the same', async () => {
      const { stdout, leftBehind } = await runExample(main);

      const [, tools, count] = /^(\d+) tools of (\d+) servers$/m.exec(stdout) ?? [];
      expect(Number(tools)).toBeGreaterThan(1_000);
      expect(Number(count)).toBeGreaterThan(30);
      const [, without = '', ...deferring] = stdout.split(/^defer: /m);
      expect(deferring).toHaveLength(2);
      for (const text of [without, ...deferring]) {
        expect(text).toMatch(/^ {2}mcp__filesystem__read_text_file: remember the milk$/m);
        expect(text).toMatch(/^ {2}mcp__filesystem__read_text_file: paint the fence$/m);
        expect(text).toMatch(/^ {2}mcp__everything__get-sum: The sum of 1289 and 377 is 1666\.$/m);
        expect(text).toMatch(/^ {2}mcp__memory__search_nodes: .*is allergic to peanuts/m);
        expect(text).toMatch(/^ {2}mcp__git__git_status: .*"isClean\\?": false/m);
      }
      expect(without).not.toContain('tool_search');
      const tokensIn = (text: string): number => Number(/, (\d+) tokens$/m.exec(text)?.[1]);
      expect(tokensIn(without)).toBeGreaterThan(0);
      for (const text of deferring) {
        // Not for the second file: what was found stays loaded.
        expect(text.match(/^ {2}tool_search: Loaded/gm)).toHaveLength(4);
        expect(tokensIn(text) / tokensIn(without)).toBeLessThan(0.1);
      }
      if (process.platform === 'linux') expect(leftBehind()).toEqual([]);
    }, 300_000);
  },
);
