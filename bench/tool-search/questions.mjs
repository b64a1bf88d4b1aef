/** The questions of questions.txt. */
import { readFileSync } from 'node:fs';

const FILE = new URL('questions.txt', import.meta.url);

/** Each question with the tools that answer it, as `server/tool`. */
export function readQuestions() {
  const questions = [];
  let server;
  for (const line of readFileSync(FILE, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const section = /^\[(.+)\]$/.exec(line)?.[1];
    if (section !== undefined) {
      server = section;
      continue;
    }
    const [ask, tools] = line.split(' | ');
    const accept = tools.split(' ').map((tool) => (tool.includes('/') ? tool : `${server}/${tool}`));
    questions.push({ ask, server, accept });
  }
  return questions;
}
