/** Source files: median at most 100 lines, nine of ten at most 300, over 500 only with the reason in the first lines. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages/*/src/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean)
  .map((file) => {
    const text = readFileSync(file, 'utf8');
    return { file, lines: text.split('\n').length, head: text.slice(0, 600) };
  })
  .toSorted((a, b) => a.lines - b.lines);

const at = (share) => files[Math.min(files.length - 1, Math.floor(files.length * share))]?.lines ?? 0;
const problems = [];
if (at(0.5) > 100) problems.push(`the median file has ${at(0.5)} lines, more than 100`);
if (at(0.9) > 300) problems.push(`one file in ten has more than ${at(0.9)} lines; the limit is 300`);
for (const { file, lines, head } of files) {
  if (lines > 500 && !/why so long/i.test(head))
    problems.push(`${file} has ${lines} lines and does not say why so long`);
}
console.log(
  `${files.length} source files, median ${at(0.5)} lines, nine of ten up to ${at(0.9)}, longest ${at(1)}.`,
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
