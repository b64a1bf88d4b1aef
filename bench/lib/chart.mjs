/** The chart of the README, drawn from a result: how many times the bare wire each contender costs. */
import { nameOf } from './table.mjs';

const SHOWN = [
  'one-stdio',
  'one-ws',
  'one-http',
  'one-http-sse',
  'one-sse',
  'flight64-stdio',
  'flight64-http',
  'burst-http',
  'large50-stdio',
  'notifications-stdio',
  'notifications-http-sse',
];
const COLORS = { ours: '#2f855a', sdk1: '#a0aec0', sdk2: '#cbd5e0' };
const CONTENDERS = Object.keys(COLORS);
const LEFT = 250;
const WIDTH = 760;
const BAR = 11;
const GROUP = 3 * BAR + 13;
const TOP = 64;
const MOST = 100;

export function chartOf({ node, records }) {
  const groups = SHOWN.map((id) => records.find((record) => record.id === id)).filter(
    (record) => record?.values.floor !== undefined,
  );
  const height = TOP + groups.length * GROUP + 28;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    '<title>Cost of one transport, as a multiple of the bare wire</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 24, `Cost as a multiple of the bare wire (1 = pipe, undici, ws and JSON alone), ${node}`, {
      size: 14,
      color: '#1a202c',
    }),
    ...CONTENDERS.map(
      (name, index) =>
        `<rect x="${LEFT + index * 90}" y="36" width="10" height="10" fill="${COLORS[name]}"/>` +
        text(LEFT + 14 + index * 90, 45, nameOf(name)),
    ),
    ...[1, 2, 5, 10, 20, 50].map(
      (at) =>
        `<line x1="${x(at)}" x2="${x(at)}" y1="${TOP - 6}" y2="${height - 24}" stroke="${at === 1 ? '#4a5568' : '#e2e8f0'}"/>` +
        text(x(at), height - 8, String(at), { anchor: 'middle' }),
    ),
    ...groups.flatMap((record, index) => bars(record, TOP + index * GROUP)),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function bars({ label, values }, y) {
  return [
    text(LEFT - 12, y + 20, label, { anchor: 'end' }),
    ...CONTENDERS.filter((name) => values[name] !== undefined).flatMap((name, index) => {
      const times = values[name] / values.floor;
      const [from, to] = [x(Math.min(1, times)), x(Math.max(1, times))];
      const top = y + index * BAR;
      return [
        `<rect x="${from}" y="${top}" width="${Math.max(1.5, to - from).toFixed(1)}" height="${BAR - 2}" fill="${COLORS[name]}"/>`,
        text(to + 5, top + 8, times.toFixed(times < 10 ? 2 : 0), { size: 10 }),
      ];
    }),
  ];
}

/** Logarithmic, from 0.4 on. */
function x(times) {
  const share = Math.log(Math.max(0.4, Math.min(MOST, times)) / 0.4) / Math.log(MOST / 0.4);
  return Number((LEFT + share * (WIDTH - LEFT - 44)).toFixed(1));
}

function text(at, y, content, { size = 12, color = '#4a5568', anchor = 'start' } = {}) {
  return `<text x="${at}" y="${y}" font-size="${size}" fill="${color}" text-anchor="${anchor}">${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
}
