/** Escape sequences of styles, which have no width. */
// oxlint-disable-next-line no-control-regex -- that is what they begin with
const STYLE = /(\u001b\[[0-9;]*m)/g;
// oxlint-disable-next-line no-control-regex -- that is what they begin with
const ENDS_STYLE = /^\u001b\[(?:0|22|39)?m$/;
/** Joiners, selectors, flags and skin tones: what a terminal draws together with the characters around it. */
const JOINERS = String.raw`\u200d\ufe0f\u{1f1e6}-\u{1f1ff}\p{Emoji_Modifier}`;
const JOINED = new RegExp(`[${JOINERS}]`, 'u');
/** A run of characters of which none is drawn together with one of {@link JOINERS}. */
const PLAIN_RUN = new RegExp(`((?<![${JOINERS}])[^${JOINERS}]+(?=[^${JOINERS}]))`, 'u');
const NOT_COMBINING = /\P{M}/gu;
/** Shows the character before it as an emoji, which is wide. */
const EMOJI_SELECTOR = '\ufe0f';
/** East Asian wide characters and emoji take two columns. @see https://www.unicode.org/reports/tr11/ */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Returns the columns that text takes on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const cluster of clustersOf(text.replaceAll(STYLE, ''))) width += columnsOf(cluster);
  return width;
}

/** Splits text into what a terminal draws as one character: an emoji can be several that are joined. */
function* clustersOf(text: string): Iterable<string> {
  if (!JOINED.test(text)) return yield* text;
  // It is slow, and its first use takes 15 ms.
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const piece of text.split(PLAIN_RUN)) {
    if (!JOINED.test(piece)) yield* piece;
    else for (const { segment } of segmenter.segment(piece)) yield segment;
  }
}

function columnsOf(cluster: string): number {
  const characters = cluster.match(NOT_COMBINING)?.length ?? 0;
  const isWide = WIDE.test(cluster) || cluster.includes(EMOJI_SELECTOR);
  return isWide && characters > 0 ? 2 : characters;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** Cuts text to a number of columns, ends it with `…` if it was cut, and ends its styles. */
export function fitWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let left = columns - 1;
  let result = '';
  for (const piece of text.split(STYLE)) {
    if (piece.startsWith('\u001b')) {
      result += piece;
      continue;
    }
    for (const cluster of clustersOf(piece)) {
      const width = columnsOf(cluster);
      if (width > left) {
        const plain = !text.includes('\u001b');
        return `${result}…${plain ? '' : '\u001b[0m'}`;
      }
      left -= width;
      result += cluster;
    }
  }
  return result;
}

/**
 * Wraps text at spaces and indents continuations by two columns. A word that is wider than the terminal, such as a URL,
 * stays whole on a line of its own, so that it can be copied. A style that spans lines begins anew on each, so that a line
 * can be repainted alone.
 */
export function wrapWords(text: string, columns: number | undefined): readonly string[] {
  const lines = text.split('\n');
  return columns === undefined
    ? lines
    : withStyles(lines.flatMap((line) => wrapLine(line, Math.max(20, columns))));
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const [first = '', ...words] = line.slice(indent.length).split(' ');
  const lines: string[] = [];
  let current = indent + first;
  for (const word of words) {
    const next = `${current} ${word}`;
    if (textWidth(next) <= columns) current = next;
    else {
      lines.push(current);
      current = `${indent}  ${word}`;
    }
  }
  return [...lines, current];
}

function withStyles(lines: readonly string[]): readonly string[] {
  let open = '';
  return lines.map((line) => {
    const begin = open;
    for (const [code] of line.matchAll(STYLE)) open = ENDS_STYLE.test(code) ? '' : open + code;
    return `${begin}${line}${open === '' ? '' : '\u001b[0m'}`;
  });
}
