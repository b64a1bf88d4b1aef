import { type ErrorCode, type FittingsError, sanitizeText } from '@mcp-fittings/client-core';
import { FINDING_CODES, type FindingCode } from './finding-codes.js';

/** What is looked at, in this order; what cannot be looked at because of an earlier failure is left out. */
export const CHECKS = [
  'config',
  'approval',
  'command',
  'spawn',
  'dns',
  'proxy',
  'connect',
  'tls',
  'clock',
  'http',
  'discovery',
  'token',
  'handshake',
] as const;
export type CheckName = (typeof CHECKS)[number];

/** One thing that is wrong, and what to do about it. No secret is in it; texts of servers are made fit to show. */
export interface Finding {
  readonly code: FindingCode;
  /** `error`: the server cannot be used because of it. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly fix: string;
  /** Code of the error that told it. */
  readonly error?: ErrorCode | undefined;
}

/** One step, and what came of it. */
export interface CheckResult {
  readonly check: CheckName;
  readonly outcome: 'passed' | 'warning' | 'failed';
  /** What was seen, where nothing is wrong. */
  readonly summary: string;
  readonly findings: readonly Finding[];
}

/** What is known of one server after all checks. */
export interface Diagnosis {
  readonly server: string;
  /** Nothing stands against using it. */
  readonly healthy: boolean;
  readonly checks: readonly CheckResult[];
  /** Those of all checks, in their order: the first error is most likely the cause of the others. */
  readonly findings: readonly Finding[];
}

const LONGEST_MESSAGE = 1500;

export interface FindingDetails {
  readonly severity?: Finding['severity'] | undefined;
  readonly fix?: string | undefined;
  readonly error?: FittingsError | undefined;
}

/** Makes a finding; its fix is that of its code, unless the caller gives a better one. */
export function createFinding(code: FindingCode, message: string, details: FindingDetails = {}): Finding {
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
export function createResult(
  check: CheckName,
  summary: string,
  findings: readonly Finding[] = [],
): CheckResult {
  const outcome = findings.some(({ severity }) => severity === 'error')
    ? 'failed'
    : findings.length > 0
      ? 'warning'
      : 'passed';
  return { check, outcome, summary: sanitizeText(summary), findings };
}
