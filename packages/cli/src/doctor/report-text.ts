import type { ConfigProblem } from '@mcp-fittings/config';
import type { Style } from '../output/style.js';
import type { CheckResult, Diagnosis, Finding } from './diagnosis.js';

const MARKS = { passed: 'ok', warning: 'warn', failed: 'fail' } as const;
const COLOURS = { passed: 'green', warning: 'yellow', failed: 'red' } as const;
const CHECK_COLUMN = 10;
const MARK_COLUMN = 6;

/** All diagnoses as a person reads them: one line a check, and below it what is wrong and what to do. */
export function reportText(
  diagnoses: readonly Diagnosis[],
  problems: readonly ConfigProblem[],
  style: Style,
): string {
  const parts = diagnoses.map((diagnosis) => diagnosisText(diagnosis, style));
  const files = problems.map(({ file, line, message, hint }) => {
    const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
    return `${style.red('fail')} ${place}${message}${hint === undefined ? '' : `\n      ${style.bold('fix:')} ${hint}`}`;
  });
  const all = [...files, ...parts];
  return all.length === 0 ? 'No servers are configured.' : all.join('\n\n');
}

function diagnosisText({ server, healthy, checks }: Diagnosis, style: Style): string {
  const verdict = healthy ? style.green('healthy') : style.red('not usable');
  return [`${style.bold(server)}: ${verdict}`, ...checks.map((check) => checkText(check, style))].join('\n');
}

function checkText({ check, outcome, summary, findings }: CheckResult, style: Style): string {
  const mark = style[COLOURS[outcome]](MARKS[outcome].padEnd(MARK_COLUMN));
  const line = `  ${mark}${check.padEnd(CHECK_COLUMN)} ${style.dim(summary)}`.trimEnd();
  return [line, ...findings.map((each) => findingText(each, style))].join('\n');
}

function findingText({ code, message, fix }: Finding, style: Style): string {
  const indent = ' '.repeat(MARK_COLUMN + 2);
  const text = `${style.bold(code)} ${message}`.replaceAll('\n', `\n${indent}  `);
  return `${indent}${text}\n${indent}${style.bold('fix:')} ${fix}`;
}
