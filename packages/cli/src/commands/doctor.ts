import { abortable } from '@mcp-fittings/toolbox/timing';
import { type ConfigProblem, formatProblem } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { diagnose } from '../doctor/diagnose.js';
import type { CheckResult, Diagnosis, Finding } from '../doctor/findings.js';
import { EXIT } from '../exit-codes.js';
import { printable } from '../output/printable.js';
import { openSpinner } from '../output/spinner.js';
import type { Style } from '../output/style.js';
import { wrapWords } from '../output/text-width.js';
import { openSession } from '../session/open-session.js';
import { configurationExit, noServersText } from './config-notes.js';

export async function runDoctor(
  server: string | undefined,
  timeoutMs: number,
  deps: CommandDeps,
): Promise<void> {
  const { env, clock, signal, output } = deps;
  await using session = await openSession(deps, { mayShare: false, showsFiles: true });
  const { loaded, transports, auth, store, searchPath } = session;
  const names = server === undefined ? new Set(loaded.entries.map(({ name }) => name)) : [server];
  const options = { loaded, transports, auth, store, searchPath, env, timeoutMs, clock, signal };
  const waiting = new Set(names);
  const diagnosed = async (name: string): Promise<Diagnosis> => {
    output.detail(`Checking ${printable(name)}`);
    const diagnosis = await diagnose(name, options);
    waiting.delete(name);
    return diagnosis;
  };
  let servers: readonly Diagnosis[];
  {
    using _waiting = openSpinner(deps, () => [...waiting]);
    servers = await abortable(Promise.all([...names].map(diagnosed)), signal);
  }
  // Problems of a server are among its findings.
  const problems = loaded.problems.filter(
    ({ severity, server: whose }) => severity !== 'info' && whose === undefined,
  );
  output.result({ servers, problems }, () =>
    wrapWords(reportText(servers, problems, output.style), output.columns).join('\n'),
  );
  const isHealthy =
    !problems.some(({ severity }) => severity === 'error') && servers.every(({ healthy }) => healthy);
  deps.exitCode = isHealthy ? EXIT.ok : EXIT.failed;
  configurationExit(deps, loaded);
}

const MARKS = { passed: 'ok', warning: 'warn', failed: 'fail' } as const;
const COLORS = { passed: 'green', warning: 'yellow', failed: 'red' } as const;
const CHECK_COLUMN = 10;
const MARK_COLUMN = 6;

/** Formats diagnoses for a terminal: one line per check, followed by what is wrong and how to fix it. */
export function reportText(
  diagnoses: readonly Diagnosis[],
  problems: readonly ConfigProblem[],
  style: Style,
): string {
  const parts = diagnoses.map((diagnosis) => diagnosisText(diagnosis, style));
  const files = problems.map((problem) => {
    const mark = problem.severity === 'error' ? style.red('fail') : style.yellow('warn');
    return `${mark} ${formatProblem(problem).slice(problem.severity.length + 2)}`;
  });
  const all = [...files, ...parts];
  return all.length === 0 ? noServersText(problems) : all.join('\n\n');
}

function diagnosisText({ server, healthy, checks }: Diagnosis, style: Style): string {
  const verdict = healthy ? style.green('healthy') : style.red('not usable');
  return [`${style.bold(server)}: ${verdict}`, ...checks.map((check) => checkText(check, style))].join('\n');
}

function checkText({ check, outcome, summary, findings }: CheckResult, style: Style): string {
  const mark = style[COLORS[outcome]](MARKS[outcome].padEnd(MARK_COLUMN));
  const line = `  ${mark}${check.padEnd(CHECK_COLUMN)} ${style.dim(summary)}`.trimEnd();
  return [line, ...findings.map((each) => findingText(each, style))].join('\n');
}

function findingText({ code, message, fix }: Finding, style: Style): string {
  const indent = ' '.repeat(MARK_COLUMN + 2);
  const text = `${style.bold(code)} ${message}`.replaceAll('\n', `\n${indent}  `);
  return `${indent}${text}\n${indent}${style.bold('fix:')} ${fix}`;
}
