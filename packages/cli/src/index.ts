/** For programs: everything that `fittings` does with servers, put together from one configuration. */
export { createSession } from './session/session.js';
export type { Session, SessionOptions } from './session/session.js';
/** Why a server cannot be used, and what to do about it: `fittings doctor` as a function. */
export { diagnose, type DiagnoseOptions } from './doctor/diagnose.js';
export type { CheckName, CheckResult, Diagnosis, Finding } from './doctor/findings.js';
export { FINDING_CODES, type FindingCode } from './doctor/finding-codes.js';
