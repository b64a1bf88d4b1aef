export { createSession, type Session, type SessionOptions } from './session/session.js';
export type { LayoutName, StoreName } from './options.js';
export { diagnose, type DiagnoseOptions } from './doctor/diagnose.js';
export type { CheckName, CheckResult, Diagnosis, Finding } from './doctor/findings.js';
export { FINDING_CODES, type FindingCode, type FindingDescription } from './doctor/finding-codes.js';
