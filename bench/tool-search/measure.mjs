/**
 * Measures tool search over the corpus, in a process of its own with `--expose-gc`, and sends the result to its parent: tokens before
 * and after, which questions are answered, time and memory.
 */
import { readFileSync } from 'node:fs';
import { anthropicTools, createTools, openAiResponsesTools } from '@mcp-fittings/tools';
import { CORPUS } from '../lib/corpus.mjs';
import { median, quantile } from '../lib/statistics.mjs';
import { readQuestions } from './questions.mjs';
import { countTokens, TOKENIZER } from './tokens.mjs';

/** How many tools a search finds where not the default is measured: for the rank of the first acceptable one. */
const MOST_FOUND = 20;
const DEFAULT_FOUND = 5;
const BUILDS = 5;
const ROUNDS = 10;
const MIB = 1024 * 1024;

const { servers } = JSON.parse(readFileSync(CORPUS, 'utf8'));
const questions = readQuestions();

/** A host with the tools of the corpus. */
function hostOf() {
  const tools = servers.flatMap(({ name, tools: own }) =>
    own.map((tool) => ({ ...tool, server: name, digest: `${name} ${tool.name}` })),
  );
  const connected = servers.map(({ name, instructions }) => ({
    name,
    identity: name,
    state: { status: 'connected', connection: { instructions } },
  }));
  return {
    tools: () => tools,
    servers: () => connected,
    callTool: () => Promise.reject(new Error('The bench calls no tool.')),
  };
}

/** Searches in a conversation of its own. */
async function search(toolset, conversation, query) {
  const { type, rendering } = await toolset.run('tool_search', { query });
  if (type !== 'result') throw new Error(rendering.text);
  return { text: rendering.text, found: conversation.loaded.map(({ server, tool }) => `${server}/${tool}`) };
}

/** For each question the place of the first acceptable tool among those found, from 1 on, or undefined. */
async function answersIn(textOf) {
  const tools = createTools(hostOf(), { defer: { mode: 'always', maxResults: MOST_FOUND } });
  const answers = [];
  for (const question of questions) {
    const conversation = tools.conversation();
    const { found } = await search(tools.snapshot(conversation), conversation, textOf(question));
    const at = found.findIndex((tool) => question.accept.includes(tool));
    answers.push({ ...question, found: found.slice(0, DEFAULT_FOUND), rank: at < 0 ? undefined : at + 1 });
  }
  return answers;
}

function recallOf(answers) {
  const share = (most) =>
    answers.filter(({ rank }) => rank !== undefined && rank <= most).length / answers.length;
  const reciprocal = answers.reduce((sum, { rank }) => sum + (rank === undefined ? 0 : 1 / rank), 0);
  return {
    at1: share(1),
    at5: share(DEFAULT_FOUND),
    at20: share(MOST_FOUND),
    mrr: reciprocal / answers.length,
  };
}

/** How often an answer is found, for each kind, and the queries of which none is among the default number of tools. */
async function measureRecall() {
  const questionAnswers = await answersIn(({ ask }) => ask);
  const queryAnswers = await answersIn(({ query }) => query);
  return {
    recall: { questions: recallOf(questionAnswers), queries: recallOf(queryAnswers) },
    missed: queryAnswers.filter(({ rank }) => rank === undefined || rank > DEFAULT_FOUND),
  };
}

const SHAPES = {
  anthropic: (tools) => anthropicTools(tools),
  openai: (tools) => openAiResponsesTools(tools),
};

/** Tokens of the tools in a request: all, with deferred tools before a search, and what one search with its result adds. */
async function measureTokens() {
  const host = hostOf();
  const whole = createTools(host);
  const deferring = createTools(host, { defer: 'auto' });
  const all = whole.snapshot().tools;
  const tokens = {};
  for (const [shape, convert] of Object.entries(SHAPES)) {
    const tokensOf = (list) => countTokens(JSON.stringify(convert(list)));
    const first = tokensOf(deferring.snapshot().tools);
    const added = [];
    for (const { query } of questions) {
      const conversation = deferring.conversation();
      const { text } = await search(deferring.snapshot(conversation), conversation, query);
      added.push(tokensOf(deferring.snapshot(conversation).tools) - first + countTokens(text));
    }
    tokens[shape] = {
      all: tokensOf(all),
      deferred: first,
      search: Math.round(median(added)),
      largestSearch: Math.max(...added),
    };
  }
  return tokens;
}

/** CPU of this process in milliseconds: of another one on the same core, the wall clock has its share as well. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of CPU until the first result, with the index, and of each further search; MiB of heap of the index. */
async function measureTime() {
  const host = hostOf();
  const builds = [];
  let heap = 0;
  for (let time = 0; time < BUILDS; time++) {
    const tools = createTools(host, { defer: 'always' });
    const conversation = tools.conversation();
    const toolset = tools.snapshot(conversation);
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const started = cpuMs();
    await search(toolset, conversation, questions[time].ask);
    builds.push(cpuMs() - started);
    globalThis.gc?.();
    heap = (process.memoryUsage().heapUsed - before) / MIB;
    if (toolset.deferred.length === 0) throw new Error('Nothing is deferred.');
  }
  const tools = createTools(host, { defer: 'always' });
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { ask } of questions) {
      const conversation = tools.conversation();
      const toolset = tools.snapshot(conversation);
      const started = cpuMs();
      await search(toolset, conversation, ask);
      // The first round makes the index, and V8 compiles what it runs.
      if (round > 0) times.push(cpuMs() - started);
    }
  }
  return {
    firstOfProcess: builds[0],
    first: median(builds.slice(1)),
    median: median(times),
    p99: quantile(times, 0.99),
    searches: times.length,
    heap,
  };
}

const time = await measureTime();
process.send({
  tokenizer: TOKENIZER,
  servers: servers.length,
  tools: servers.reduce((sum, { tools }) => sum + tools.length, 0),
  questions: questions.length,
  tokens: await measureTokens(),
  ...(await measureRecall()),
  time,
});
