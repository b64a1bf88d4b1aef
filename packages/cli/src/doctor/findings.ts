import type { ErrorCode, FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { FINDING_CODES, type FindingCode } from './finding-codes.js';

/** The result of all checks of one server. */
export interface Diagnosis {
  /** Name of the server, as passed to {@link diagnose}. */
  readonly server: string;
  /** Is true if there is no finding with the severity `error`. */
  readonly healthy: boolean;
  /**
   * Results in the order of the checks: the entry and its approval; for a local server the command and its process; for a
   * remote server DNS, proxy, connection, TLS, clocks, HTTP, OAuth metadata and token; then the MCP handshake. A check that an
   * earlier failure prevents is left out.
   */
  readonly checks: readonly {
    /** Names the check. */
    readonly check:
      | 'config'
      | 'approval'
      | 'command'
      | 'spawn'
      | 'dns'
      | 'proxy'
      | 'connect'
      | 'tls'
      | 'clock'
      | 'http'
      | 'discovery'
      | 'token'
      | 'handshake';
    /** `failed` with an error among the findings, `warning` with warnings only, else `passed`. */
    readonly outcome: 'passed' | 'warning' | 'failed';
    /** Says what the check saw, such as an address or a version; may be empty. */
    readonly summary: string;
    /** Lists what is wrong; empty if the check passed. */
    readonly findings: Diagnosis['findings'];
  }[];
  /**
   * The findings of all checks, in their order: problems and their fixes. The first error is most likely the cause of the others.
   * They contain no secrets, and no control characters from texts of the server.
   */
  readonly findings: readonly {
    /** Identifies the problem, for programs. {@link FINDING_CODES} explains it. */
    readonly code: keyof typeof FINDING_CODES;
    /** `error` if it prevents using the server, else `warning`. */
    readonly severity: 'error' | 'warning';
    /** Says what is wrong in this case, as a sentence. */
    readonly message: string;
    /** Says what the user can do, as a sentence. It may name commands of `fittings`. */
    readonly fix: string;
    /** Code of the error that the connection failed with, if there was one. */
    readonly error?: ErrorCode | undefined;
  }[];
}

/** A problem and its fix. */
export type Finding = Diagnosis['findings'][number];

/** The result of one check. */
export type CheckResult = Diagnosis['checks'][number];

/** Name of a check. */
export type CheckName = CheckResult['check'];

const LONGEST_MESSAGE = 1500;

export interface FindingDetails {
  readonly severity?: Finding['severity'] | undefined;
  readonly fix?: string | undefined;
  readonly error?: FittingsError | undefined;
}

/** Creates a finding. Its fix is that of its code, unless `details.fix` is given. */
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

/** Creates the result of a check. Its outcome follows from the worst finding. */
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
