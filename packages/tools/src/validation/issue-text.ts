import { escapeText, sanitizeText } from '@mcp-fittings/client-core/text';
import { valueAt } from '../schema/json-pointer.js';
import type { Json } from '../schema/plain-copy.js';
import type { RawIssue, SchemaIssue } from './raw-issue.js';
import { isBeyondSafe, unionMessage } from './union-message.js';

const MOST = 10;
const LONGEST = 300;

/** Issues of this value as sentences, the first ten; text of the server in them is made harmless. */
export function readableIssues(issues: readonly RawIssue[], root: Json): readonly SchemaIssue[] {
  return issues.slice(0, MOST).map((issue) => {
    const telling = mostTelling(issue);
    const message = sanitizeText(wordsFor(telling, root), { maxLength: LONGEST });
    return { path: telling.path.map(readableStep), message };
  });
}

/** `files[0].name: Invalid input`, for a model or a person. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${place(path)}: ${message}`))
    .join('; ');
}

function place(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** A value that is not there is missing, and not `undefined`, which JSON does not know. */
function wordsFor(issue: RawIssue, root: Json): string {
  const message = messageOf(issue);
  if (issue.path.length === 0 || valueAt(root, issue.path.map(String)) !== undefined) return message;
  const wanted = /expected (?!nonoptional)(.+?)(?:, received undefined)?$/s.exec(message)?.[1];
  return wanted === undefined ? 'missing' : `missing, expected ${wanted}`;
}

/** How whole numbers are told to Zod is not what a reader has to know. */
function messageOf(issue: RawIssue): string {
  if (isBeyondSafe(issue) || (issue.code === 'invalid_type' && issue['expected'] === 'int')) {
    return 'Invalid input: expected a whole number';
  }
  return (issue.code === 'invalid_union' ? unionMessage(issue['errors']) : undefined) ?? issue.message;
}

const readableStep = (step: PropertyKey): string | number =>
  typeof step === 'number' ? step : escapeText(String(step), { maxLength: 100 });

/** Of a union, the branch that came nearest: the one whose first issue lies deepest. */
function mostTelling(issue: RawIssue): RawIssue {
  const branches: unknown = issue['errors'];
  if (issue.code !== 'invalid_union' || !Array.isArray(branches)) return issue;
  let best: RawIssue | undefined;
  for (const branch of branches.slice(0, MOST) as readonly (readonly RawIssue[])[]) {
    const [first] = branch;
    if (first === undefined) continue;
    const inner = mostTelling(first);
    if (inner.path.length > (best?.path.length ?? 0)) best = inner;
  }
  return best === undefined ? issue : { ...best, path: [...issue.path, ...best.path] };
}
