export { diagnose, type DiagnoseOptions } from './doctor/diagnose.js';
export type { Diagnosis } from './doctor/findings.js';
export { FINDING_CODES, type FindingDescription } from './doctor/finding-codes.js';
