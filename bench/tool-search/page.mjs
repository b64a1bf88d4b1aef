/** The section of docs/tool-search.md with figures, from a result. */

const START = '<!-- figures of tool search, written by `node bench/run.mjs --search` -->';
const END = '<!-- end of the figures of tool search -->';

/** The page with this section in place of the one it has. */
export function withFigures(page, result) {
  const from = page.indexOf(START);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error('The page has no place for the figures of tool search.');
  return `${page.slice(0, from)}${START}\n\n${sectionOf(result)}\n${page.slice(to)}`;
}

function sectionOf({ node, date, cpus, tokenizer, servers, questions, tokens, recall, time }) {
  const tools = servers.reduce((sum, server) => sum + server.tools, 0);
  const { anthropic, openai } = tokens;
  return `The corpus has ${number(tools)} tools of ${servers.length} real servers from npm. \`node test/corpus/gather.mjs\` starts them and writes what they list;
[its manifest](../test/corpus/package.json) names them.
Measured with Node.js ${node.slice(1)} on ${date}, ${cpus}. Tokens are those of \`${tokenizer}\`, the tokenizer of OpenAI; Anthropic publishes none
for its models.

### Tokens of the tools in a request

| API | all tools | \`defer\`, before a search | what one search adds: median, largest | after one search, of all |
| --- | --: | --: | --: | --: |
${tokenRow('Anthropic', anthropic)}
${tokenRow('OpenAI, Responses', openai)}

A search adds its result and the definitions of the tools that it has found. They stay for the rest of the conversation. The largest definitions of a
server have over 10 000 tokens each.

### Which questions find a tool

[${questions} questions](../bench/tool-search/questions.txt) were written by hand, in the words of a person, before there was a search; each has the
tools that answer it. A model does not search for the question but for [a few words](../bench/tool-search/queries.txt). "Among 5" is the share of
questions that find such a tool among the first five, which is what \`tool_search\` loads. MRR is the mean of 1 / the place of the first one among
20.

| searched for | in | first | among 5 | among 20 | MRR |
| --- | --- | --: | --: | --: | --: |
${recallRows('the words of a model', recall.queries)}
${recallRows('the sentence of a person', recall.questions)}

The last row of each is what \`tool_search\` does. The weights of names, descriptions and parameters were chosen with these queries, so other queries may find less.

### Time and memory

| CPU or heap | |
| --- | --: |
| first search of a process, which makes the index | ${ms(time.firstOfProcess)} |
| the same, once V8 has compiled it | ${ms(time.first)} |
| every further search, median of ${number(time.searches)} | ${ms(time.median)} |
| the slowest of 100 further searches | ${ms(time.p99)} |
| heap of the index | ${time.heap.toFixed(1)} MiB |
`;
}

function tokenRow(name, { all, deferred, search, largestSearch }) {
  const share = (100 * (deferred + search)) / all;
  return `| ${name} | ${number(all)} | ${number(deferred)} | ${number(search)}, ${number(largestSearch)} | ${share.toFixed(1)} % |`;
}

const INDEXES = {
  names: 'names',
  descriptions: 'names and descriptions',
  all: 'names, descriptions, parameters, instructions',
};

function recallRows(searched, recall) {
  return Object.entries(INDEXES)
    .map(([id, label]) => {
      const { at1, at5, at20, mrr } = recall[id];
      return `| ${searched} | ${label} | ${percent(at1)} | ${percent(at5)} | ${percent(at20)} | ${mrr.toFixed(3)} |`;
    })
    .join('\n');
}

const number = (value) => value.toLocaleString('en-US').replaceAll(',', ' ');
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
