import { nearestNames } from '@mcp-fittings/client-core/text';
import type { LoadedConfig, Problem, ServerEntry } from '@mcp-fittings/config';
import type { CheckResult, Finding } from '../diagnosis.js';
import type { FindingCode } from '../finding-codes.js';
import { checked, finding } from '../finding.js';

const BY_PROBLEM: Partial<Record<Problem['code'], FindingCode>> = {
  VARIABLE_MISSING: 'VARIABLE_MISSING',
  TYPE_UNKNOWN: 'TYPE_UNKNOWN',
  POLICY_DENIED: 'POLICY_DENIED',
  POLICY_INVALID: 'POLICY_DENIED',
};
/** These belong to the next check. */
const CONSENT: ReadonlySet<Problem['code']> = new Set([
  'APPROVAL_REQUIRED',
  'APPROVAL_REJECTED',
  'POLICY_DENIED',
  'POLICY_INVALID',
]);

/** The definition that counts; undefined where there is none. */
export function entryOf({ entries }: LoadedConfig, server: string): ServerEntry | undefined {
  return entries.find(({ name, status }) => name === server && status !== 'replaced');
}

/** Whether the server is configured, where, and whether its entry can be used. */
export function checkConfig(loaded: LoadedConfig, server: string): CheckResult {
  const entry = entryOf(loaded, server);
  if (entry === undefined) return unknown(loaded, server);
  const findings = entry.problems
    .filter(({ code, severity }) => severity !== 'info' && !CONSENT.has(code))
    .map((problem) => ofProblem(problem));
  if (entry.config?.disabled === true) {
    const fix = `Enable it: fittings enable ${server}`;
    findings.push(finding('SERVER_DISABLED', `"${server}" is disabled.`, { fix }));
  }
  if (entry.config?.['allowInsecure'] === true) {
    const isUsed = /^(?:ws|http):/i.test(String(entry.config['url'] ?? ''));
    const message = isUsed
      ? '`allowInsecure` is set: everything is sent without encryption, including your credentials.'
      : '`allowInsecure` is set but not needed for this URL.';
    findings.push(finding('NOT_ENCRYPTED', message, { severity: 'warning' }));
  }
  const line = entry.line === undefined ? '' : `:${entry.line}`;
  return checked('config', `${entry.file}${line} (${entry.scope})`, findings);
}

/** Whether a person and the policies let it be used. */
export function checkApproval(entry: ServerEntry): CheckResult {
  const { name, status } = entry;
  const fix = `Review it: fittings approve ${name}`;
  if (status === 'pending') {
    const message = `"${name}" came with the project, and its current definition has not been approved.`;
    return checked('approval', '', [finding('APPROVAL_MISSING', message, { fix })]);
  }
  if (status === 'rejected') {
    return checked('approval', '', [finding('APPROVAL_MISSING', `You rejected "${name}".`, { fix })]);
  }
  const denied = entry.problems.find(({ code }) => BY_PROBLEM[code] === 'POLICY_DENIED');
  if (denied !== undefined) return checked('approval', '', [ofProblem(denied)]);
  return checked('approval', entry.approval === undefined ? 'not needed' : 'approved');
}

function unknown(loaded: LoadedConfig, server: string): CheckResult {
  const near = nearestNames(
    server,
    loaded.entries.map(({ name }) => name),
  );
  const fix = near.length > 0 ? `Did you mean ${near.join(', ')}?` : undefined;
  // A file that could not be read may be where it stands.
  const unread = loaded.problems.filter(
    ({ severity, server: whose }) => severity === 'error' && whose === undefined,
  );
  return checked('config', '', [
    ...unread.map(ofProblem),
    finding('SERVER_UNKNOWN', `No server is named "${server}".`, { fix }),
  ]);
}

function ofProblem({ code, severity, message, hint, file, line, path }: Problem): Finding {
  const isError = severity === 'error' || code === 'TYPE_UNKNOWN';
  const place = [file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`, path ?? ''];
  const where = place.filter((part) => part !== '').join(' ');
  return finding(
    BY_PROBLEM[code] ?? (isError ? 'CONFIG_INVALID' : 'CONFIG_SUSPICIOUS'),
    where === '' ? message : `${message} (${where})`,
    { severity: isError ? 'error' : 'warning', fix: hint },
  );
}
