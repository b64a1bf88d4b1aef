import type { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import type { CheckName, CheckResult, Finding } from './diagnosis.js';
import { FINDING_CODES, type FindingCode } from './finding-codes.js';

const LONGEST_MESSAGE = 1500;

export interface FindingDetails {
  readonly severity?: Finding['severity'] | undefined;
  readonly fix?: string | undefined;
  readonly error?: FittingsError | undefined;
}

/** Makes a finding; its fix is that of its code, unless the caller gives a better one. */
export function finding(code: FindingCode, message: string, details: FindingDetails = {}): Finding {
  const { severity = 'error', fix = FINDING_CODES[code].fix, error } = details;
  return {
    code,
    severity,
    message: sanitizeText(message, { maxLength: LONGEST_MESSAGE, multiline: true }),
    fix: sanitizeText(fix),
    error: error?.code,
  };
}

/** The outcome of a check follows from the worst of what it found. */
export function checked(check: CheckName, summary: string, findings: readonly Finding[] = []): CheckResult {
  const outcome = findings.some(({ severity }) => severity === 'error')
    ? 'failed'
    : findings.length > 0
      ? 'warning'
      : 'passed';
  return { check, outcome, summary: sanitizeText(summary), findings };
}
