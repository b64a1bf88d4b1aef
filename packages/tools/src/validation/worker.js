// Plain JavaScript, so that a thread can load it both from the sources (in tests) and from the build.
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { unionMessage } from './union-message.js';

/* oxlint-disable unicorn/require-post-message-target-origin -- that is for windows of a browser */

/** @import { RawIssue } from './raw-issue.js' */

const MOST_ISSUES = 20;

/**
 * What is small in an issue: a union repeats the issues of all its branches, and so on below.
 * @param {z.core.$ZodIssue} issue
 * @returns {RawIssue}
 */
function compact(issue) {
  const small = Object.entries(issue).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  const message = (issue.code === 'invalid_union' ? unionMessage(issue.errors) : undefined) ?? issue.message;
  return { ...Object.fromEntries(small), code: issue.code, message, path: issue.path };
}

/**
 * Objects without a prototype, as where the value comes from: `constructor` is a member like any other.
 * @param {string} _key
 * @param {unknown} value
 */
function plain(_key, value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.assign(Object.create(null), value)
    : value;
}

parentPort?.on('message', (/** @type {{ schema: z.core.JSONSchema.JSONSchema, value: string }} */ job) => {
  const value = JSON.parse(job.value, plain);
  const result = z.fromJSONSchema(job.schema, { registry: z.registry() }).safeParse(value);
  const issues = result.success ? [] : result.error.issues.slice(0, MOST_ISSUES).map(compact);
  parentPort?.postMessage({ issues });
});

parentPort?.postMessage({ ready: true });
