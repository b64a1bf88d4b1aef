import { escapeText, sanitizeText } from '@mcp-fittings/toolbox/text';
import type { Json } from '../json/copy-json.js';
import { valueAt } from '../json/json-pointer.js';

/** A place in a value that its schema does not accept. Safe to show to a model or a user. */
export interface SchemaIssue {
  /** Keys and indexes that lead to the place, such as `['files', 0, 'name']`; empty for the whole value. */
  readonly path: readonly (string | number)[];
  /** Describes the issue, such as `Invalid input: expected string, received number`. At most 300 characters. */
  readonly message: string;
}

/** An issue as Zod reports it, as far as it is read here. */
interface ZodIssue {
  readonly code: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

const MAX_LISTED = 10;
const MAX_LENGTH = 300;

/** Returns the first ten issues of this value in a form that is safe to show. */
export function readableIssues(issues: readonly ZodIssue[], root: Json): readonly SchemaIssue[] {
  return issues.slice(0, MAX_LISTED).map((issue) => {
    const specific = mostSpecific(issue);
    const message = sanitizeText(describe(specific, root), { maxLength: MAX_LENGTH });
    return { path: specific.path.map(readableStep), message };
  });
}

/**
 * Formats issues as one line, such as `files[0].name: Invalid input: expected string, received number`.
 * @param issues The issues of {@link checkValue} or of a `result` event.
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

function messageOf(issue: ZodIssue): string {
  if (issue.code === 'invalid_type' && 'expected' in issue && issue.expected === 'int')
    return 'Invalid input: expected a whole number';
  return commonMessage(branchesOf(issue)) ?? issue.message;
}

/** Returns the message of a union whose branches all report the same. */
function commonMessage(branches: readonly (readonly ZodIssue[])[]): string | undefined {
  const [first, ...others] = branches.map(([issue]) => issue);
  if (first?.path.length !== 0) return undefined;
  return others.every((issue) => issue?.message === first.message) ? first.message : undefined;
}

const readableStep = (step: PropertyKey): string | number =>
  typeof step === 'number' ? step : escapeText(String(step), { maxLength: 100 });

/** Returns the branch of a union that came nearest: the one whose first issue is deepest. */
function mostSpecific(issue: ZodIssue): ZodIssue {
  let best: ZodIssue | undefined;
  for (const [first] of branchesOf(issue).slice(0, MAX_LISTED)) {
    if (first === undefined) continue;
    const inner = mostSpecific(first);
    if (inner.path.length > (best?.path.length ?? 0)) best = inner;
  }
  return best === undefined ? issue : { ...best, path: [...issue.path, ...best.path] };
}

/** Returns the issues of each branch of a union. */
function branchesOf(issue: ZodIssue): readonly (readonly ZodIssue[])[] {
  if (issue.code !== 'invalid_union' || !('errors' in issue) || !Array.isArray(issue.errors)) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- so Zod reports a union
  return issue.errors as readonly (readonly ZodIssue[])[];
}
