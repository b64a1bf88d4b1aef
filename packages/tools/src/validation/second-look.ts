import { isLinearPattern } from '../patterns/linear-pattern.js';
import { valueAt } from '../json/json-pointer.js';
import type { Json } from '../json/copy-json.js';
import type { RawIssue } from './raw-issue.js';

/**
 * Whether an issue stands in JSON Schema's terms too. A pattern means the `u` flag there, and Zod reads it without: on
 * characters beyond U+FFFF it can turn away what is valid.
 */
export function stands(issue: RawIssue, root: Json): boolean {
  if (issue.code === 'invalid_union') return standsForUnion(issue, root);
  if (issue.code !== 'invalid_format') return true;
  const value = valueAt(root, issue.path.map(String));
  return !(typeof value === 'string' && matchesAsUnicode(value, issue['pattern']));
}

/** A union holds as soon as one of its branches does. */
function standsForUnion(issue: RawIssue, root: Json): boolean {
  const branches: unknown = issue['errors'];
  if (!Array.isArray(branches)) return true;
  return branches.every((branch: readonly RawIssue[]) =>
    branch.some((inner) => stands({ ...inner, path: [...issue.path, ...inner.path] }, root)),
  );
}

/** `pattern` is what Zod reports: `/…/`. */
function matchesAsUnicode(text: string, pattern: unknown): boolean {
  if (typeof pattern !== 'string' || !/[\ud800-\udfff]/.test(text)) return false;
  const source = pattern.replace(/^\/|\/$/g, '');
  if (!isLinearPattern(source)) return false;
  try {
    return new RegExp(source, 'u').test(text);
  } catch {
    return false;
  }
}
