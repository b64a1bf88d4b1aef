/** `node bench/run.mjs --search`: tokens, answered questions, time and memory of tool search over the corpus. */
import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { hasCorpus } from '../lib/corpus.mjs';
import { withFigures } from './page.mjs';
import { differencesOf } from './regression.mjs';

const MEASURE = fileURLToPath(new URL('measure.mjs', import.meta.url));
const RESULT = new URL('../results/tool-search.json', import.meta.url);
const PAGE = new URL('../../docs/tool-search.md', import.meta.url);

/** @param check Compares with the committed result and writes nothing. */
export async function searchFigures({ check }) {
  if (!hasCorpus) {
    throw new Error('There is no corpus. Run: npm ci --prefix test/corpus && node test/corpus/gather.mjs');
  }
  const { missed, ...measured } = await measure();
  const result = {
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    cpus: `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`,
    ...measured,
  };
  print(result, missed);
  if (check) {
    const worse = differencesOf(result, JSON.parse(readFileSync(RESULT, 'utf8')));
    for (const sentence of worse) console.error(`worse: ${sentence}`);
    console.log(worse.length === 0 ? 'No figure became worse.' : `${worse.length} figures became worse.`);
    if (worse.length > 0) process.exitCode = 1;
    return;
  }
  const rounded = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
  writeFileSync(RESULT, `${JSON.stringify(result, rounded, 1)}\n`);
  await writeSearchPage();
  console.log('Written: bench/results/tool-search.json, docs/tool-search.md');
}

/** The figures of docs/tool-search.md, from the committed result. */
export async function writeSearchPage() {
  if (existsSync(RESULT)) writeFileSync(PAGE, await searchPage());
}

/** The page as it must be. */
export async function searchPage() {
  const file = fileURLToPath(PAGE);
  const page = withFigures(readFileSync(PAGE, 'utf8'), JSON.parse(readFileSync(RESULT, 'utf8')));
  return format(page, { ...(await resolveConfig(file)), filepath: file });
}

function measure() {
  const child = fork(MEASURE, { execArgv: ['--expose-gc'], env: { ...process.env, NODE_NO_WARNINGS: '1' } });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The measurement ended with ${code}.`)));
    child.once('message', resolve);
  });
}

function print({ servers, tools, tokens, recall, time, questions }, missed) {
  console.log(`${tools} tools of ${servers} servers, ${questions} questions`);
  console.table(tokens);
  console.table(recall);
  console.table(time);
  for (const { query, accept, found, rank } of missed) {
    console.log(`not among 5 (${rank ?? 'nor 20'}): ${query} (${accept[0]}) → ${found.join(' ')}`);
  }
}
