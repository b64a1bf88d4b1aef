// JavaScript, so that a worker thread can load it both from the sources (in tests) and from the build.
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { unionMessage } from './union-message.js';

/* oxlint-disable unicorn/require-post-message-target-origin -- this rule is for browser windows */

/** @import { ZodIssue } from './schema-issues.js' */

const MAX_ISSUES = 20;

/**
 * Reduces an issue to its scalar fields. The issue of a union repeats the issues of all its branches, recursively.
 * @param {z.core.$ZodIssue} issue
 * @returns {ZodIssue}
 */
function compact(issue) {
  const small = Object.entries(issue).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  const message = (issue.code === 'invalid_union' ? unionMessage(issue.errors) : undefined) ?? issue.message;
  return { ...Object.fromEntries(small), code: issue.code, message, path: issue.path };
}

/**
 * Restores objects without a prototype, as the sender had them: `constructor` is an ordinary member.
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
  const issues = result.success ? [] : result.error.issues.slice(0, MAX_ISSUES).map(compact);
  parentPort?.postMessage({ issues });
});

parentPort?.postMessage({ ready: true });
