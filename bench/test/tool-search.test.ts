import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differencesOf } from '../tool-search/regression.mjs';
import { readQuestions } from '../tool-search/questions.mjs';
import { searchPage } from '../tool-search/search.mjs';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const committed = () => JSON.parse(read('bench/results/tool-search.json'));

describe('the questions to tool search', () => {
  const questions = readQuestions();

  it('are 200, all different, and ask for tools of at least 30 servers', () => {
    expect(questions).toHaveLength(200);
    expect(new Set(questions.map(({ ask }) => ask)).size).toBe(200);
    expect(new Set(questions.map(({ server }) => server)).size).toBeGreaterThanOrEqual(30);
  });

  it('have a query each, and tools that answer them, of servers of the corpus', async () => {
    const { SERVERS } = await import('../../test/corpus/servers.mjs');
    for (const { ask, query, accept } of questions) {
      expect(ask, ask).toMatch(/^\S.*[.?]$/);
      expect(query, ask).toMatch(/^\S+( \S+)*$/);
      expect(accept.length, ask).toBeGreaterThan(0);
      for (const tool of accept) expect(Object.keys(SERVERS), ask).toContain(tool.split('/')[0]);
    }
  });
});

describe('the figures of tool search', () => {
  it('are of at least 1000 tools of 30 servers, and under a tenth of the tokens', () => {
    const { servers, tools, questions, tokens } = committed();
    expect(servers).toBeGreaterThanOrEqual(30);
    expect(tools).toBeGreaterThan(1000);
    expect(questions).toBe(200);
    expect(differencesOf(committed(), committed())).toEqual([]);
    for (const { all, deferred, search } of Object.values<Record<string, number>>(tokens)) {
      expect((Number(deferred) + Number(search)) / Number(all)).toBeLessThan(0.1);
    }
  });

  it('are those on the page', async () => {
    expect(read('docs/tool-search.md')).toBe(await searchPage());
  });
});

describe('a figure of tool search that became worse', () => {
  it.each([
    ['fewer servers', (now) => (now.servers = 29), 'the corpus has'],
    [
      'fewer questions answered',
      (now) => (now.recall.questions.at5 -= 0.02),
      'questions: .* find a tool among five',
    ],
    ['fewer queries answered', (now) => (now.recall.queries.at5 -= 0.02), 'queries: .* find a tool'],
    ['a later place', (now) => (now.recall.queries.mrr -= 0.02), 'queries: the MRR is'],
    ['more tokens', (now) => (now.tokens.anthropic.deferred *= 1.2), 'anthropic: .* tokens before a search'],
    ['a longer result', (now) => (now.tokens.openai.search *= 1.2), 'openai: a search adds'],
    ['over a tenth', (now) => (now.tokens.openai.all = 9000), 'openai: .* are over a tenth'],
    ['a slow search', (now) => (now.time.p99 = 51), 'one search in 100 takes 51 ms of CPU'],
  ] satisfies readonly (readonly [string, (now: ReturnType<typeof committed>) => void, string])[])(
    'is reported: %s',
    (_name, worsen, sentence) => {
      const now = committed();
      worsen(now);
      const worse = differencesOf(now, committed());
      expect(worse.length).toBeGreaterThan(0);
      expect(worse.join('\n')).toMatch(new RegExp(sentence));
    },
  );

  it('is not one within the slack', () => {
    const now = committed();
    now.recall.queries.at5 -= 0.009;
    now.tokens.anthropic.search *= 1.05;
    expect(differencesOf(now, committed())).toEqual([]);
  });
});
