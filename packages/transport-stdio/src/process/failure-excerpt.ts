import { sanitizeText } from '@mcp-fittings/toolbox/text';

const LINE_END = /\r\n|\n|\r/;
/** Frames of a stack trace and the like; the line that says what happened is before or after them. */
const FRAME =
  /^\s*(?:at\s.+|\^+~*\s*|node:[\w/]+:\d+|Node\.js v\d.*|File ".*", line \d+.*|\.{3} \d+ (?:more|lines matching).*)\s*$/;
/** A line that names what went wrong. */
const NAMES_ERROR =
  /error|exception|panic|fatal|fail(?:ed|ure)|cannot|can't|could not|unable|missing|required|invalid|not (?:found|set|defined)|denied|refused|no such/i;
const GAP = '…';

export interface ExcerptLimits {
  readonly lines: number;
  readonly length: number;
}

/**
 * Cuts the output of a failed server down to the lines that tell why: lines that name an error first, then the first and the
 * last lines, in their original order. Frames of stack traces are left out.
 */
export function failureExcerpt(text: string, limits: ExcerptLimits): string {
  const lines = text
    .split(LINE_END)
    .filter((line) => line.trim() !== '' && !FRAME.test(line))
    .map((line) => sanitizeText(line, { maxLength: limits.length / 2 }));
  const chosen = new Set<number>();
  let room = limits.length;
  for (const index of byRelevance(lines)) {
    const { length } = lines[index] ?? '';
    if (chosen.size >= limits.lines) break;
    if (length + 1 > room) continue;
    room -= length + 1;
    chosen.add(index);
  }
  const shown: string[] = [];
  let last = -1;
  for (const index of [...chosen].toSorted((a, b) => a - b)) {
    if (index > last + 1) shown.push(GAP);
    shown.push(lines[index] ?? '');
    last = index;
  }
  if (last < lines.length - 1) shown.push(GAP);
  return shown.join('\n');
}

/** The first and the last lines that name an error; then last and first lines in turn. */
function byRelevance(lines: readonly string[]): ReadonlySet<number> {
  const indexes = [...lines.keys()];
  const errors = indexes.filter((index) => NAMES_ERROR.test(lines[index] ?? ''));
  const ends = indexes.flatMap((index) => [indexes.length - 1 - index, index]);
  return new Set([...errors.slice(0, 3), ...errors.slice(-3), ...ends]);
}
