import { sanitizeText } from '@mcp-fittings/client-core/text';
import type { Attempt } from '../connect-attempt.js';
import type { CheckName, CheckResult, Finding } from '../diagnosis.js';
import type { FindingCode } from '../finding-codes.js';
import { findingOfError } from '../finding-of-error.js';
import { checked, finding } from '../finding.js';
import { handshakeSummary } from './handshake.js';

const STEPS: readonly CheckName[] = ['command', 'spawn', 'handshake'];

/** What a server that runs here did when it was started. */
export function checkLocalProcess(attempt: Attempt): readonly CheckResult[] {
  const { error, facts } = attempt;
  const failed = error === undefined ? undefined : findingOfError(error);
  const summaries: Partial<Record<CheckName, string>> = {
    command: String(facts['command'] ?? ''),
    spawn: facts['pid'] === undefined ? '' : `process ${String(facts['pid'])}`,
    handshake: handshakeSummary(attempt),
  };
  const results: CheckResult[] = [];
  for (const step of STEPS) {
    const findings: Finding[] = step === 'spawn' ? noise(attempt) : [];
    const isHere = failed?.check === step || (failed !== undefined && !STEPS.includes(failed.check));
    if (isHere) findings.push(withWithheld(failed.finding, attempt));
    results.push(checked(step, summaries[step] ?? '', findings));
    if (isHere) break;
  }
  return results;
}

/** Lines that are not messages are passed over; where the handshake fails too, they are the likely cause. */
function noise({ error, reported, facts }: Attempt): Finding[] {
  const lines = Number(facts['ignoredLines'] ?? 0);
  if (lines === 0) return [];
  const told = reported.find(({ code }) => code === 'MESSAGE_INVALID');
  const message = told?.message ?? `The process wrote ${lines} lines to stdout that are not messages.`;
  return [
    finding('STDOUT_NOISE', message, { severity: error === undefined ? 'warning' : 'error', error: told }),
  ];
}

const UNREACHED: ReadonlySet<FindingCode> = new Set(['HANDSHAKE_TIMEOUT', 'PROCESS_EXITED']);

/**
 * Behind a proxy that inspects TLS, `npx` and `uvx` reach nothing without the variables that say so: those that the
 * environment has and the server was not given are named.
 */
function withWithheld(found: Finding, { facts }: Attempt): Finding {
  const names = facts['withheld'];
  if (!UNREACHED.has(found.code) || typeof names !== 'string') return found;
  const list = names.split(', ').map((name) => JSON.stringify(name));
  const advice = `The environment has ${names}, which is not passed to the server. If the server needs it, add "inheritEnv": [${list.join(', ')}] to its entry.`;
  return { ...found, fix: `${found.fix} ${sanitizeText(advice)}` };
}
