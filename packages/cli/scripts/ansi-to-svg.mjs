/** A terminal's text with colors as a picture. Knows the codes of `src/output/style.ts` and of the prompts, and no others. */
const COLORS = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff', 90: '#8b949e' };
const TEXT = '#e6edf3';
const CELL = { width: 8.43, height: 20 };
const MARGIN = { x: 16, top: 44, bottom: 14 };

// oxlint-disable no-control-regex -- escape sequences are what it is about
const SEQUENCE = /(\u001b\[[0-9;]*[A-Za-z])/;
const ONE_CODE = /^\u001b\[(\d+)m$/;
// oxlint-enable no-control-regex
/** As wide as the terminal is; longer lines go on below, as there. */
const COLUMNS = 104;

/** Throws for an escape sequence that it does not know: a picture must not show less than the terminal did. */
export function ansiToSvg(text, { title }) {
  const lines = text.trimEnd().split('\n');
  const spans = lines.flatMap((line) => wrapped(spansOf(line)));
  const columns = Math.max(...spans.map((line) => line.reduce((sum, { text }) => sum + text.length, 0)));
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.x);
  const height = MARGIN.top + spans.length * CELL.height + MARGIN.bottom;
  const body = spans.flatMap((line, row) => lineOf(line, MARGIN.top + (row + 0.7) * CELL.height));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${TEXT}">
${body.join('\n')}
</g>
</svg>
`;
}

function spansOf(line) {
  const spans = [];
  let style = {};
  for (const piece of line.split(SEQUENCE)) {
    if (piece.startsWith('\u001b')) style = after(style, piece);
    else if (piece !== '') spans.push({ text: piece, ...style });
  }
  return spans;
}

function wrapped(spans) {
  const rows = [[]];
  let column = 0;
  for (const span of spans) {
    for (let text = span.text; text !== '';) {
      if (column === COLUMNS) {
        rows.push([]);
        column = 0;
      }
      const part = text.slice(0, COLUMNS - column);
      rows.at(-1).push({ ...span, text: part });
      column += part.length;
      text = text.slice(part.length);
    }
  }
  return rows;
}

function after(style, sequence) {
  const code = ONE_CODE.exec(sequence)?.[1];
  if (code === '1') return { ...style, bold: true };
  if (code === '2') return { ...style, dim: true };
  if (code === '22') return { ...style, bold: false, dim: false };
  if (code === '39') return { ...style, color: undefined };
  if (COLORS[code] !== undefined) return { ...style, color: COLORS[code] };
  throw new Error(`What is ${JSON.stringify(sequence)}?`);
}

/** Each run of words stands at its own column, so that neither fonts nor spaces shift what follows. */
function lineOf(spans, y) {
  let column = 0;
  return spans.flatMap(({ text, bold, dim, color }) => {
    const start = column;
    column += text.length;
    return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
      const x = MARGIN.x + (start + index) * CELL.width;
      const attributes = [
        `x="${x.toFixed(1)}" y="${y.toFixed(0)}" textLength="${(words.length * CELL.width).toFixed(1)}"`,
        ...(bold ? ['font-weight="bold"'] : []),
        ...(dim ? ['opacity="0.6"'] : []),
        ...(color === undefined ? [] : [`fill="${color}"`]),
      ];
      return `<text ${attributes.join(' ')}>${escape(words)}</text>`;
    });
  });
}

function escape(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
