/** For programs: everything that `fittings` does with servers, put together from one configuration. */
export { createSession } from './composition/create-session.js';
export type { Session, SessionOptions } from './composition/session.js';
/** Why a server cannot be used, and what to do about it: `fittings doctor` as a function. */
export { diagnose, type DiagnoseOptions } from './doctor/diagnose.js';
export type { CheckName, CheckResult, Diagnosis, Finding } from './doctor/diagnosis.js';
export { FINDING_CODES, type FindingCode } from './doctor/finding-codes.js';
