/** The questions of questions.txt, and the queries of queries.txt that a model makes of them. */
import { readFileSync } from 'node:fs';

/**
 * Each question (`ask`) with the query that a model makes of it, and the tools that answer it, as `server/tool`.
 * @returns {readonly { readonly ask: string, readonly query: string, readonly server: string, readonly accept: readonly string[] }[]}
 */
export function readQuestions() {
  const questions = [];
  let server = '';
  for (const line of linesOf('questions.txt')) {
    const section = /^\[(.+)\]$/.exec(line)?.[1];
    if (section !== undefined) {
      server = section;
      continue;
    }
    const [ask, tools] = line.split(' | ');
    const accept = tools.split(' ').map((tool) => (tool.includes('/') ? tool : `${server}/${tool}`));
    questions.push({ ask, server, accept });
  }
  const queries = linesOf('queries.txt');
  if (queries.length !== questions.length)
    throw new Error(`There are ${queries.length} queries for ${questions.length} questions.`);
  return questions.map((question, at) => ({ ...question, query: queries[at] }));
}

function linesOf(file) {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
