import { escapeJson } from '@mcp-fittings/toolbox/text';
import type { PinChange } from './compare-pins.js';
import type { PinnedDefinition } from './definition.js';
import { diffJson } from './json-diff.js';
import { diffText } from './text-diff.js';

/** Names longer than this are cut. */
const MAX_NAME_LENGTH = 200;
/** A line with less room says nothing. */
const MIN_ROOM = 160;
/** Members in the order in which they matter to a person who decides. */
const ORDER = ['instructions', 'description', 'inputSchema', 'annotations', 'title', 'outputSchema', '_meta'];

/** Says in one sentence what changed. Names are escaped. */
export function summarizePinChange({ kind, server, tool, other }: PinChange): string {
  const where = `the server ${name(server)}`;
  const what = `The tool ${name(tool)} of ${where}`;
  const same = other === undefined ? '' : name(other);
  switch (kind) {
    case 'changed': {
      const swapped = same === '' ? '' : ` It now has the definition that the tool ${same} had.`;
      return `${what} has changed since you agreed to it.${swapped}`;
    }
    case 'added': {
      const copied = same === '' ? '' : ` It has the same definition as the tool ${same}.`;
      return `${what} was added after you first used the server.${copied}`;
    }
    case 'renamed':
      return `${what} is new, with the definition of the tool ${same}, which is no longer listed: it was probably renamed.`;
    case 'instructions':
    default:
      return `The instructions of ${where} have changed since you agreed to them.`;
  }
}

/**
 * Describes a change for a person who decides by it: a sentence, then the differences, in lines that begin with `-` (before) and `+`
 * (now). Everything of the server is a JSON string or JSON value in which control, invisible and direction-changing characters are
 * escapes such as `\u{202e}`, so that it cannot look like a line of its own. Each member gets its share of the length, and what is cut
 * says how much is missing.
 * @param options `maxLength`: about how many characters the differences may have. Default 8000.
 */
export function describePinChange(
  change: PinChange,
  options: { readonly maxLength?: number | undefined } = {},
): string {
  return [summarizePinChange(change), ...differences(change, options.maxLength ?? 8_000)].join('\n');
}

function differences(change: PinChange, maxLength: number): readonly string[] {
  const { kind, before, after } = change;
  if (kind === 'renamed') return [];
  const members = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])]
    .filter((key) => key !== 'name' && !isSame(before?.[key], after[key]))
    .toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const room = Math.max(MIN_ROOM, Math.floor(maxLength / Math.max(1, members.length)));
  return members.flatMap((member) => memberLines(member, before, after, room));
}

const isSame = (before: unknown, after: unknown): boolean =>
  before === after || (before !== undefined && diffJson(before, after).changes.length === 0);

/** Writes `description:` and the lines below it; of a schema, one group for each place. */
function memberLines(
  member: string,
  before: PinnedDefinition | undefined,
  after: PinnedDefinition,
  room: number,
): readonly string[] {
  const [from, to] = [before?.[member], after[member]];
  if (typeof from !== 'object' || typeof to !== 'object' || from === null || to === null) {
    return [`  ${member}:`, ...valueLines(from ?? undefined, to ?? undefined, room)];
  }
  const { changes, more } = diffJson(from, to);
  const shown = changes.slice(0, Math.max(1, Math.floor(room / MIN_ROOM)));
  const share = Math.floor(room / shown.length);
  const lines = shown.flatMap((change) => [
    `  ${member} ${quoted(change.pointer, MAX_NAME_LENGTH)}:`,
    ...valueLines(change.before, change.after, share),
  ]);
  const left = changes.length - shown.length + more;
  return left === 0 ? lines : [...lines, `  ${member}: … ${left} more differences are not shown`];
}

function valueLines(before: unknown, after: unknown, room: number): readonly string[] {
  if (typeof before === 'string' && typeof after === 'string') return textLines(before, after, room);
  const both = before !== undefined && after !== undefined;
  const share = both ? Math.floor(room / 2) : room;
  return [
    ...(before === undefined ? [] : prefixed('-', before, share)),
    ...(after === undefined ? [] : prefixed('+', after, share)),
  ];
}

function textLines(before: string, after: string, room: number): readonly string[] {
  const changes = diffText(before, after);
  const shown = changes.slice(0, Math.max(1, Math.floor(room / (2 * MIN_ROOM))));
  const share = Math.floor(room / shown.length / 2);
  const lines = shown.flatMap(({ lead, removed, added, tail }) => {
    const line = (sign: string, text: string): string => `    ${sign} ${quoted(lead + text + tail, share)}`;
    if (removed === '') return [line('+', added)];
    return added === '' ? [line('-', removed)] : [line('-', removed), line('+', added)];
  });
  const left = changes.length - shown.length;
  return left === 0 ? lines : [...lines, `    … ${left} more differences are not shown`];
}

function prefixed(sign: string, value: unknown, room: number): readonly string[] {
  const { text, missing } = escapeJson(value, { maxLength: room });
  const lines = text.split('\n').map((line) => `    ${sign} ${line}`);
  return missing === 0 ? lines : [...lines, `    … ${missing} characters are not shown`];
}

/** Returns a JSON string in which nothing can hide. A long one has its beginning and its end. */
const quoted = (text: string, maxLength: number): string => escapeJson(text, { maxLength }).text;

const name = (text: string): string => quoted(text, MAX_NAME_LENGTH);
