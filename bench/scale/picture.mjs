/** The picture of a row: time and memory over its points, both axes logarithmic, readable on a light and a dark page. */

const WIDTH = 760;
const HEIGHT = 340;
const PANEL = { left: 58, width: 300, top: 66, height: 206, gap: 84 };
const COLORS = ['#2f855a', '#2b6cb0', '#b7791f', '#c53030', '#805ad5', '#0e7490'];
const STYLE = `
  svg { --page: #ffffff; --text: #1a202c; --faint: #4a5568; --grid: #e2e8f0; }
  @media (prefers-color-scheme: dark) { svg { --page: #1b1b1f; --text: #edf2f7; --faint: #a0aec0; --grid: #3a3f4b; } }
  .page { fill: var(--page); } text { fill: var(--faint); } .title { fill: var(--text); } .grid { stroke: var(--grid); }
  .linear { stroke: var(--faint); stroke-dasharray: 3 4; } .line { fill: none; stroke-width: 2; }
`;
const TIME = { title: 'milliseconds', read: ({ ms }) => ms };
/** Where other programs disturbed every run of a point. */
const CPU = { title: 'milliseconds of CPU', read: ({ cpu }) => cpu };
const MEMORY = { title: 'MiB of memory, at most', read: ({ peak }) => peak, least: 1 };

/** @param row `label`, `unit`, and `lines`, each with `label` and `points` (`n`, `ms`, `cpu`, `peak`, `calm`) */
export function pictureOf({ label, unit, lines }) {
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="11" role="img">`,
    `<title>${escape(label)}: time and memory by number of ${unit}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="14" y="22" font-size="14">${escape(label)}</text>`,
    ...lines.map(({ label: name }, index) => legend(name, index)),
    ...[isTimed(lines) ? TIME : CPU, MEMORY].flatMap((panel, index) => panelOf(panel, index, lines, unit)),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function isTimed(lines) {
  return lines.every(({ points }) => points.every(({ calm }) => calm > 0));
}

function legend(name, index) {
  const x = 14 + index * 122;
  return `<rect x="${x}" y="33" width="10" height="10" fill="${COLORS[index]}"/><text x="${x + 14}" y="42">${escape(name)}</text>`;
}

function panelOf({ title, read, least = 0.01 }, index, lines, unit) {
  const left = PANEL.left + index * (PANEL.width + PANEL.gap);
  const bottom = PANEL.top + PANEL.height;
  const value = (point) => Math.max(read(point), least);
  const all = lines.flatMap(({ points }) => points);
  const [xs, ys] = [decades(all.map(({ n }) => n)), decades(all.map(value))];
  const x = scaleOf(xs, left, left + PANEL.width);
  const y = scaleOf(ys, bottom, PANEL.top);
  return [
    `<text class="title" x="${left}" y="${PANEL.top - 8}">${title}</text>`,
    ...xs.map(
      (at) =>
        `<line class="grid" x1="${x(at)}" x2="${x(at)}" y1="${PANEL.top}" y2="${bottom}"/>` +
        `<text x="${x(at)}" y="${bottom + 16}" text-anchor="middle">${short(at)}</text>`,
    ),
    ...ys.map(
      (at) =>
        `<line class="grid" x1="${left}" x2="${left + PANEL.width}" y1="${y(at)}" y2="${y(at)}"/>` +
        `<text x="${left - 6}" y="${y(at) + 4}" text-anchor="end">${short(at)}</text>`,
    ),
    `<text x="${left + PANEL.width / 2}" y="${bottom + 34}" text-anchor="middle">${unit}</text>`,
    linear(xs, ys, x, y),
    ...lines.map(({ points }, at) => {
      const path = points.map((point) => `${x(point.n)},${y(value(point))}`).join(' ');
      const dots = points.map(
        (point) => `<circle cx="${x(point.n)}" cy="${y(value(point))}" r="2.5" fill="${COLORS[at]}"/>`,
      );
      return `<polyline class="line" stroke="${COLORS[at]}" points="${path}"/>${dots.join('')}`;
    }),
  ];
}

/** What grows linearly is parallel to it. */
function linear(xs, ys, x, y) {
  const decade = Math.min(xs.at(-1) / xs[0], ys.at(-1) / ys[0]);
  const [fromX, fromY] = [xs.at(-1) / decade, ys.at(-1) / decade];
  return `<line class="linear" x1="${x(fromX)}" y1="${y(fromY)}" x2="${x(xs.at(-1))}" y2="${y(ys.at(-1))}"/>`;
}

/** Powers of ten around all of these. */
function decades(values) {
  const from = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
}

function scaleOf(marks, from, to) {
  const [least, most] = [Math.log10(marks[0]), Math.log10(marks.at(-1))];
  return (value) => Number((from + ((Math.log10(value) - least) / (most - least)) * (to - from)).toFixed(1));
}

function short(number) {
  if (number >= 1e6) return `${number / 1e6} M`;
  if (number >= 1e3) return `${number / 1e3} k`;
  return String(Number(number.toPrecision(1)));
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
