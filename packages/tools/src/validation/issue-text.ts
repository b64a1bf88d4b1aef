import { sanitizeText } from '@mcp-fittings/client-core';
import type { RawIssue, SchemaIssue } from './raw-issue.js';
import { unionMessage } from './union-message.js';

const MOST = 10;
const LONGEST = 300;

/** Issues as sentences, the first ten; text of the server in them is made harmless. */
export function readableIssues(issues: readonly RawIssue[]): readonly SchemaIssue[] {
  return issues.slice(0, MOST).map((issue) => {
    const telling = mostTelling(issue);
    const message = sanitizeText(messageOf(telling), { maxLength: LONGEST });
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

/** How whole numbers are told to Zod is not what a reader has to know. */
function messageOf(issue: RawIssue): string {
  if (issue.code === 'invalid_type' && issue['expected'] === 'int') {
    return 'Invalid input: expected a whole number';
  }
  return (issue.code === 'invalid_union' ? unionMessage(issue['errors']) : undefined) ?? issue.message;
}

const readableStep = (step: PropertyKey): string | number =>
  typeof step === 'number' ? step : sanitizeText(String(step), { maxLength: 100 });

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
