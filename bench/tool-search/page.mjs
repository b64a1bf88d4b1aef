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

function sectionOf({ node, date, cpus, tokenizer, servers, tools, questions, tokens, recall, time }) {
  const { anthropic, openai } = tokens;
  return `The corpus has ${number(tools)} tools of ${servers} real servers from npm, which [its manifest](../test/corpus/package.json) names. Measured with
Node.js ${node.slice(1)} on ${date}, ${cpus}. Tokens are those of \`${tokenizer}\`, the tokenizer of OpenAI.

| tokens of the tools in a request | all tools | \`defer\`, before a search | one search adds: median, largest | after one search, of all |
| --- | --: | --: | --: | --: |
${tokenRow('Anthropic', anthropic)}
${tokenRow('OpenAI, Responses', openai)}

[${questions} questions](../bench/tool-search/questions.txt) were written by hand before there was a search. A model searches for [a few
words](../bench/tool-search/queries.txt), with which the weights were chosen, and not for the question. \`tool_search\` loads the first five.

| an answer is found | first | among 5 | among 20 |
| --- | --: | --: | --: |
${recallRow('for the words of a model', recall.queries)}
${recallRow('for the sentence of a person', recall.questions)}

The first search of a process takes ${ms(time.firstOfProcess)} of CPU and makes the index (${time.heap.toFixed(1)} MiB); every further one takes ${ms(time.median)}.
`;
}

function tokenRow(name, { all, deferred, search, largestSearch }) {
  const share = (100 * (deferred + search)) / all;
  return `| ${name} | ${number(all)} | ${number(deferred)} | ${number(search)}, ${number(largestSearch)} | ${share.toFixed(1)} % |`;
}

function recallRow(label, { at1, at5, at20 }) {
  return `| ${label} | ${percent(at1)} | ${percent(at5)} | ${percent(at20)} |`;
}

const number = (value) => value.toLocaleString('en-US').replaceAll(',', ' ');
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
