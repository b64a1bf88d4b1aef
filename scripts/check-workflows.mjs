/**
 * Workflows: every action by the SHA of a commit, with its tag beside it; no checkout leaves its token in `.git/config`; where packages
 * are published, nothing is restored from a cache, no dependency runs, and CI has passed on the same commit. Every folder that is
 * installed turns install scripts off.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = '.github/workflows';
const problems = [];
let actions = 0;
for (const name of readdirSync(folder).filter((each) => /\.ya?ml$/.test(each))) {
  const text = readFileSync(`${folder}/${name}`, 'utf8');
  for (const [, used = '', comment = ''] of text.matchAll(/^\s*(?:-\s*)?uses:\s*(\S+)[ \t]*(.*)$/gm)) {
    // A workflow of this repository is of the same commit.
    if (used.startsWith('./')) continue;
    actions++;
    if (!/@[0-9a-f]{40}$/.test(used) || !/^# v\d+\.\d+\.\d+$/.test(comment)) {
      problems.push(`${name}: ${used} is not pinned as owner/action@<commit> # vX.Y.Z`);
    }
  }
  for (const step of text.split(/^ +- (?=\w)/m)) {
    if (step.includes('actions/checkout@') && !/^\s+persist-credentials: false$/m.test(step))
      problems.push(`${name}: a checkout does not set persist-credentials: false`);
  }
  if (!text.includes('id-token: write')) continue;
  for (const job of jobsOf(text)) {
    if (!/(?:id-token|contents): write/.test(job.text)) continue;
    if (/^\s+cache:|actions\/cache@/m.test(job.text)) problems.push(`${name}: ${job.name} restores a cache`);
    if (job.text.includes('actions/setup-node@') && !job.text.includes('package-manager-cache: false')) {
      problems.push(`${name}: ${job.name} does not turn off the cache that setup-node keeps by itself`);
    }
    if (
      job.text.includes('id-token: write') &&
      /\b(?:npm (?:ci|i|install|run|exec)|npx)\b|actions\/checkout@/.test(job.text)
    )
      problems.push(`${name}: ${job.name} runs code of dependencies beside the publishing identity`);
    if (!waitsForCi(job.name, jobsOf(text))) problems.push(`${name}: ${job.name} does not wait for CI`);
  }
}
const locks = execFileSync('git', ['ls-files', '--', 'package-lock.json', '**/package-lock.json'], {
  encoding: 'utf8',
});
const installed = locks.split('\n').filter((lock) => lock !== '');
for (const lock of installed) {
  // npm reads the file beside the lock, and not the one of the repository.
  const settings = join(dirname(lock), '.npmrc');
  if (!existsSync(settings) || !/^ignore-scripts=true$/m.test(readFileSync(settings, 'utf8')))
    problems.push(`${settings} does not set ignore-scripts=true`);
}
console.log(`${actions} uses of actions in workflows, ${installed.length} folders that npm installs.`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** By indentation: a parser of YAML would be a dependency. */
function jobsOf(text) {
  const [, jobs = ''] = text.split(/^jobs:$/m);
  return jobs
    .split(/^(?= {2}[\w-]+:$)/m)
    .map((part) => ({ name: /^ {2}([\w-]+):$/m.exec(part)?.[1] ?? '', text: part }))
    .filter(({ name }) => name !== '');
}

function waitsForCi(name, jobs, seen = new Set()) {
  const job = jobs.find((each) => each.name === name);
  if (job === undefined || seen.has(name)) return false;
  seen.add(name);
  if (job.text.includes('uses: ./.github/workflows/ci.yml')) return true;
  const [, needs = ''] = /^\s+needs:\s*(.+)$/m.exec(job.text) ?? [];
  return (needs.match(/[\w-]+/g) ?? []).some((each) => waitsForCi(each, jobs, seen));
}
