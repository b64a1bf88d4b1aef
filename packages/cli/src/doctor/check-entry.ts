import { nearestNames } from '@mcp-fittings/toolbox/text';
import type { LoadedConfig, ConfigProblem, ServerEntry } from '@mcp-fittings/config';
import { findEntry, whyDisabled } from '../session/resolve-server.js';
import type { FindingCode } from './finding-codes.js';
import { type CheckResult, type Finding, createResult, createFinding } from './findings.js';

const BY_PROBLEM: Partial<Record<ConfigProblem['code'], FindingCode>> = {
  VARIABLE_MISSING: 'VARIABLE_MISSING',
  TYPE_UNKNOWN: 'TYPE_UNKNOWN',
  POLICY_DENIED: 'POLICY_DENIED',
  POLICY_INVALID: 'POLICY_DENIED',
};
/** Problems that the approval check reports. */
const CONSENT: ReadonlySet<ConfigProblem['code']> = new Set([
  'APPROVAL_REQUIRED',
  'APPROVAL_REJECTED',
  'POLICY_DENIED',
  'POLICY_INVALID',
]);

/** Checks whether the server is configured, where, and whether its entry is valid. */
export function checkConfig(loaded: LoadedConfig, server: string): CheckResult {
  const entry = findEntry(loaded, server);
  if (entry === undefined) return unknown(loaded, server);
  const findings = entry.problems
    .filter(({ code, severity }) => severity !== 'info' && !CONSENT.has(code))
    .map((problem) => findingFromProblem(problem));
  if (entry.config?.disabled === true) {
    const { message, hint } = whyDisabled(entry);
    findings.push(createFinding('SERVER_DISABLED', message, { fix: hint }));
  }
  if (entry.config?.['allowInsecure'] === true) {
    const isUsed = /^(?:ws|http):/i.test(String(entry.config['url'] ?? ''));
    const message = isUsed
      ? '`allowInsecure` is set: everything is sent without encryption, including your credentials.'
      : '`allowInsecure` is set but not needed for this URL.';
    findings.push(createFinding('NOT_ENCRYPTED', message, { severity: 'warning' }));
  }
  const line = entry.line === undefined ? '' : `:${entry.line}`;
  return createResult('config', `${entry.file}${line} (${entry.scope})`, findings);
}

/** Checks whether the user and the policies allow the server. */
export function checkApproval(entry: ServerEntry): CheckResult {
  const { name, status } = entry;
  const fix = `Review it: fittings approve ${name}`;
  if (status === 'pending') {
    const message = `"${name}" came with the project, and its current definition has not been approved.`;
    return createResult('approval', '', [createFinding('APPROVAL_MISSING', message, { fix })]);
  }
  if (status === 'rejected') {
    return createResult('approval', '', [
      createFinding('APPROVAL_MISSING', `You rejected "${name}".`, { fix }),
    ]);
  }
  const denied = entry.problems.find(({ code }) => BY_PROBLEM[code] === 'POLICY_DENIED');
  if (denied !== undefined) return createResult('approval', '', [findingFromProblem(denied)]);
  return createResult('approval', entry.approval === undefined ? 'not needed' : 'approved');
}

function unknown(loaded: LoadedConfig, server: string): CheckResult {
  const near = nearestNames(
    server,
    loaded.entries.map(({ name }) => name),
  );
  const fix = near.length > 0 ? `Did you mean ${near.join(', ')}?` : undefined;
  // It may be in a file that could not be read.
  const unread = loaded.problems.filter(
    ({ severity, server: whose }) => severity === 'error' && whose === undefined,
  );
  return createResult('config', '', [
    ...unread.map(findingFromProblem),
    createFinding('SERVER_UNKNOWN', `No server is named "${server}".`, { fix }),
  ]);
}

function findingFromProblem({ code, severity, message, hint, file, line, path }: ConfigProblem): Finding {
  const isError = severity === 'error' || code === 'TYPE_UNKNOWN';
  const place = [file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`, path ?? ''];
  const where = place.filter((part) => part !== '').join(' ');
  return createFinding(
    BY_PROBLEM[code] ?? (isError ? 'CONFIG_INVALID' : 'CONFIG_SUSPICIOUS'),
    where === '' ? message : `${message} (${where})`,
    { severity: isError ? 'error' : 'warning', fix: hint },
  );
}
