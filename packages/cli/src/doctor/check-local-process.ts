import type { LoadedServers } from '@mcp-fittings/preset/toolkit';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { type Attempt, handshakeSummary } from './connect-attempt.js';
import { findingFromError } from './error-findings.js';
import type { FindingCode } from './finding-codes.js';
import { type CheckName, type CheckResult, type Finding, createResult, createFinding } from './findings.js';

const STEPS: readonly CheckName[] = ['command', 'spawn', 'handshake'];

const SEARCH_PATHS = {
  'login shell': ' (with the PATH of the login shell)',
  'known folders': ' (with the folders of version managers, because the login shell gave no PATH)',
};

/** Reports how the process of a local server started and responded, and where its PATH comes from, if a desktop started this program. */
export function checkLocalProcess(
  attempt: Attempt,
  searchPath: LoadedServers['searchPath'],
): readonly CheckResult[] {
  const { error, description } = attempt;
  const failed = error === undefined ? undefined : findingFromError(error);
  const summaries: Partial<Record<CheckName, string>> = {
    command: `${String(description['command'] ?? '')}${searchPath === undefined ? '' : SEARCH_PATHS[searchPath]}`,
    spawn: description['pid'] === undefined ? '' : `process ${String(description['pid'])}`,
    handshake: handshakeSummary(attempt),
  };
  const results: CheckResult[] = [];
  for (const step of STEPS) {
    const findings: Finding[] = step === 'spawn' ? stdoutFindings(attempt) : [];
    const isHere = failed?.check === step || (failed !== undefined && !STEPS.includes(failed.check));
    if (isHere) findings.push(withMissingVariables(failed.finding, attempt));
    results.push(createResult(step, summaries[step] ?? '', findings));
    if (isHere) break;
  }
  return results;
}

/**
 * Reports stdout lines that are not messages. They are ignored; but if the handshake fails too, they are the likely
 * cause.
 */
function stdoutFindings({ error, reported, description }: Attempt): Finding[] {
  const lines = Number(description['ignoredLines'] ?? 0);
  if (lines === 0) return [];
  const told = reported.find(({ code }) => code === 'MESSAGE_INVALID');
  const message = told?.message ?? `The process wrote ${lines} lines to stdout that are not messages.`;
  return [
    createFinding('STDOUT_NOISE', message, {
      severity: error === undefined ? 'warning' : 'error',
      error: told,
    }),
  ];
}

const UNREACHED: ReadonlySet<FindingCode> = new Set(['HANDSHAKE_TIMEOUT', 'PROCESS_EXITED']);

/**
 * Adds the proxy and certificate variables that were not passed to the server. Behind a proxy that inspects TLS, `npx`
 * and `uvx` cannot connect without them.
 */
function withMissingVariables(found: Finding, { description }: Attempt): Finding {
  const names = description['withheld'];
  if (!UNREACHED.has(found.code) || typeof names !== 'string') return found;
  const list = names.split(', ').map((name) => JSON.stringify(name));
  const advice = `The server does not get ${names} from the environment. If it needs that, add "inheritEnv": [${list.join(', ')}] to its entry.`;
  return { ...found, fix: `${found.fix} ${sanitizeText(advice)}` };
}
