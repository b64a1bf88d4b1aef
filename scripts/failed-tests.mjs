/** The tests that failed in a JSON report of vitest, with the first lines of their messages: the log of CI may be cut. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const SHOWN_LINES = 12;
const [reportFile] = process.argv.slice(2);
const { testResults } = JSON.parse(readFileSync(reportFile, 'utf8'));

for (const { name: file, message, assertionResults } of testResults) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, duration, failureMessages } of failed) {
    show(`${fullName} (${Math.round(duration ?? 0)} ms)`, file, failureMessages.join('\n'));
  }
  if (failed.length === 0 && message) show('the file itself', file, message);
}

function show(title, file, message) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .slice(0, SHOWN_LINES);
  console.log(
    [`  ${relative('.', file)}: ${title}`, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join('\n'),
  );
}
