import type { ErrorCode, FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { hintForUser } from '../output/hints.js';
import type { FindingCode } from './finding-codes.js';
import { type CheckName, type Finding, createFinding } from './findings.js';

/** A finding, and the check that it belongs to. */
export interface PlacedFinding {
  readonly check: CheckName;
  readonly finding: Finding;
}

const BY_CODE: Partial<Record<ErrorCode, readonly [CheckName, FindingCode]>> = {
  CONFIG_INVALID: ['config', 'CONFIG_INVALID'],
  HEADER_INVALID: ['config', 'CONFIG_INVALID'],
  TRANSPORT_UNKNOWN: ['config', 'TYPE_UNKNOWN'],
  COMMAND_NOT_FOUND: ['command', 'COMMAND_NOT_FOUND'],
  COMMAND_NOT_EXECUTABLE: ['command', 'COMMAND_NOT_EXECUTABLE'],
  CWD_INVALID: ['command', 'CWD_INVALID'],
  SPAWN_FAILED: ['spawn', 'SPAWN_FAILED'],
  PROCESS_EXITED: ['spawn', 'PROCESS_EXITED'],
  HOST_NOT_FOUND: ['dns', 'HOST_NOT_FOUND'],
  PROXY_FAILED: ['proxy', 'PROXY_WRONG'],
  CONNECTION_REFUSED: ['connect', 'CONNECTION_REFUSED'],
  CONNECT_FAILED: ['connect', 'CONNECT_FAILED'],
  CONNECTION_LOST: ['connect', 'CONNECT_FAILED'],
  ADDRESS_BLOCKED: ['connect', 'CONNECT_FAILED'],
  POLICY_DENIED: ['connect', 'CONNECT_FAILED'],
  TLS_FAILED: ['tls', 'TLS_FAILED'],
  REDIRECT_REFUSED: ['http', 'REDIRECTED'],
  SERVER_ERROR: ['http', 'SERVER_ERROR'],
  RATE_LIMITED: ['http', 'RATE_LIMITED'],
  HTTP_STATUS: ['http', 'REQUEST_REFUSED'],
  ENDPOINT_INCOMPATIBLE: ['http', 'NOT_MCP'],
  MESSAGE_INVALID: ['http', 'NOT_MCP'],
  AUTH_REQUIRED: ['token', 'SIGN_IN_REQUIRED'],
  AUTH_REJECTED: ['token', 'CREDENTIALS_REFUSED'],
  AUTH_FAILED: ['token', 'TOKEN_REFUSED'],
  AUTH_SCOPE_INSUFFICIENT: ['token', 'SCOPE_INSUFFICIENT'],
  AUTH_DISCOVERY_FAILED: ['discovery', 'DISCOVERY_FAILED'],
  STORE_UNAVAILABLE: ['token', 'STORE_UNUSABLE'],
  STORE_LOCKED: ['token', 'STORE_UNUSABLE'],
  STORE_CORRUPT: ['token', 'STORE_UNUSABLE'],
  STORE_INSECURE: ['token', 'STORE_UNUSABLE'],
  STORE_BUSY: ['token', 'STORE_UNUSABLE'],
  TIMEOUT: ['handshake', 'HANDSHAKE_TIMEOUT'],
  VERSION_UNSUPPORTED: ['handshake', 'VERSION_UNSUPPORTED'],
  RPC_ERROR: ['handshake', 'HANDSHAKE_FAILED'],
  PROTOCOL_VIOLATION: ['handshake', 'HANDSHAKE_FAILED'],
};

const NOT_FOUND: ReadonlySet<unknown> = new Set([404, 410]);

/** Converts an error of any package to a finding, by its code and details and never by its message. */
export function findingFromError(error: FittingsError): PlacedFinding {
  const [check, general] = BY_CODE[error.code] ?? (['handshake', 'UNEXPECTED'] as const);
  const code = specialCase(error) ?? general;
  const fix = fixOf(code, error);
  return { check, finding: createFinding(code, error.message, { error, fix }) };
}

function specialCase(error: FittingsError): FindingCode | undefined {
  const { status, reason, list } = error.details;
  const isOfServer =
    error.code === 'RPC_ERROR' || error.code === 'PROTOCOL_VIOLATION' || error.code === 'TIMEOUT';
  if (list !== undefined && isOfServer) return 'LIST_FAILED';
  switch (error.code) {
    case 'TLS_FAILED':
      return certificateProblem(error);
    case 'AUTH_DISCOVERY_FAILED':
      if (reason === 'issuer') return 'ISSUER_MISMATCH';
      return reason === 'resource' ? 'RESOURCE_MISMATCH' : undefined;
    case 'ENDPOINT_INCOMPATIBLE':
    case 'HTTP_STATUS':
      return NOT_FOUND.has(status) ? 'ENDPOINT_NOT_FOUND' : undefined;
    default:
      return undefined;
  }
}

/** @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const BY_TLS_CODE: Readonly<Record<string, FindingCode>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'CERTIFICATE_SELF_SIGNED',
  SELF_SIGNED_CERT_IN_CHAIN: 'CERTIFICATE_SELF_SIGNED',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'CERTIFICATE_UNTRUSTED',
  UNABLE_TO_GET_ISSUER_CERT: 'CERTIFICATE_UNTRUSTED',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'CERTIFICATE_UNTRUSTED',
  CERT_HAS_EXPIRED: 'CERTIFICATE_EXPIRED',
  CERT_NOT_YET_VALID: 'CERTIFICATE_EXPIRED',
  ERR_TLS_CERT_ALTNAME_INVALID: 'CERTIFICATE_WRONG_HOST',
  HOSTNAME_MISMATCH: 'CERTIFICATE_WRONG_HOST',
};

function certificateProblem(error: FittingsError): FindingCode | undefined {
  for (let cause: unknown = error; isRecord(cause); cause = cause['cause']) {
    const { code } = cause;
    if (typeof code === 'string' && Object.hasOwn(BY_TLS_CODE, code)) return BY_TLS_CODE[code];
  }
  return undefined;
}

/** Findings whose general fix is better than the hint of the error. */
const WITH_GENERAL_FIX: ReadonlySet<FindingCode> = new Set(['CREDENTIALS_REFUSED', 'ENDPOINT_NOT_FOUND']);

function fixOf(code: FindingCode, error: FittingsError): string | undefined {
  const isGeneral = code.startsWith('CERTIFICATE_') || WITH_GENERAL_FIX.has(code);
  return isGeneral ? undefined : hintForUser(error);
}
