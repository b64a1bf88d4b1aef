import { escapeText, sanitizeText } from '@mcp-fittings/client-core/text';
import type { Json } from '../json/copy-json.js';
import { valueAt } from '../json/json-pointer.js';
import { isLinearPattern } from '../patterns/linear-pattern.js';
import { isBeyondSafe, unionMessage } from './union-message.js';

/** A place in a value that its schema does not accept. Safe to show to a model or a user. */
export interface SchemaIssue {
  /** Keys and indexes that lead to the place, such as `['files', 0, 'name']`; empty for the whole value. */
  readonly path: readonly (string | number)[];
  /** What is wrong, such as `Invalid input: expected string, received number`. At most 300 characters. */
  readonly message: string;
}

/** An issue as Zod reports it, as far as it is read here. */
export interface ZodIssue {
  readonly code: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly [field: string]: unknown;
}

const MAX_LISTED = 10;
const MAX_LENGTH = 300;

/**
 * Returns the first ten issues of this value in a form that is safe to show. Issues that Zod reports and JSON Schema does not
 * have are dropped.
 */
export function readableIssues(issues: readonly ZodIssue[], root: Json): readonly SchemaIssue[] {
  return issues
    .filter((issue) => isRealIssue(issue, root))
    .slice(0, MAX_LISTED)
    .map((issue) => {
      const specific = mostSpecific(issue);
      const message = sanitizeText(describe(specific, root), { maxLength: MAX_LENGTH });
      return { path: specific.path.map(readableStep), message };
    });
}

/**
 * Formats issues as one line, such as `files[0].name: Invalid input: expected string, received number`.
 * @param issues The issues of {@link SchemaChecker.check} or of a `result` event.
 */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`))
    .join('; ');
}

function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** A value that is absent is missing, not `undefined`, which JSON does not have. */
function describe(issue: ZodIssue, root: Json): string {
  const message = messageOf(issue);
  if (issue.path.length === 0 || valueAt(root, issue.path.map(String)) !== undefined) return message;
  const expected = /expected (?!nonoptional)(.+?)(?:, received undefined)?$/s.exec(message)?.[1];
  return expected === undefined ? 'missing' : `missing, expected ${expected}`;
}

/** Hides how whole numbers are expressed in Zod. */
function messageOf(issue: ZodIssue): string {
  if (isBeyondSafe(issue) || (issue.code === 'invalid_type' && issue['expected'] === 'int')) {
    return 'Invalid input: expected a whole number';
  }
  // How the pattern is compiled does not concern the model.
  if (issue.code === 'invalid_format') return issue.message.replace(/\/u$/, '/');
  return (issue.code === 'invalid_union' ? unionMessage(issue['errors']) : undefined) ?? issue.message;
}

const readableStep = (step: PropertyKey): string | number =>
  typeof step === 'number' ? step : escapeText(String(step), { maxLength: 100 });

/** Returns the branch of a union that came nearest: the one whose first issue is deepest. */
function mostSpecific(issue: ZodIssue): ZodIssue {
  const branches: unknown = issue['errors'];
  if (issue.code !== 'invalid_union' || !Array.isArray(branches)) return issue;
  let best: ZodIssue | undefined;
  for (const branch of branches.slice(0, MAX_LISTED) as readonly (readonly ZodIssue[])[]) {
    const [first] = branch;
    if (first === undefined) continue;
    const inner = mostSpecific(first);
    if (inner.path.length > (best?.path.length ?? 0)) best = inner;
  }
  return best === undefined ? issue : { ...best, path: [...issue.path, ...best.path] };
}

/**
 * Returns whether an issue is one in JSON Schema too. There a pattern has the `u` flag, which Zod does not use: Zod can
 * reject valid strings with characters beyond U+FFFF.
 */
function isRealIssue(issue: ZodIssue, root: Json): boolean {
  if (issue.code === 'invalid_union') return isRealUnionIssue(issue, root);
  if (issue.code !== 'invalid_format') return true;
  const value = valueAt(root, issue.path.map(String));
  return !(typeof value === 'string' && matchesAsUnicode(value, issue['pattern']));
}

/** A union accepts a value as soon as one of its branches does. */
function isRealUnionIssue(issue: ZodIssue, root: Json): boolean {
  const branches: unknown = issue['errors'];
  if (!Array.isArray(branches)) return true;
  return branches.every((branch: readonly ZodIssue[]) =>
    branch.some((inner) => isRealIssue({ ...inner, path: [...issue.path, ...inner.path] }, root)),
  );
}

/** @param pattern As Zod reports it: `/…/` or `/…/u`. */
function matchesAsUnicode(text: string, pattern: unknown): boolean {
  if (typeof pattern !== 'string' || !/[\ud800-\udfff]/.test(text)) return false;
  const source = pattern.replace(/^\/|\/u?$/g, '');
  if (!isLinearPattern(source)) return false;
  try {
    return new RegExp(source, 'u').test(text);
  } catch {
    return false;
  }
}
