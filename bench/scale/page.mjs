/** bench/SCALE.md, from a result. */
import { growthOfLine, METRICS, MOST_EXPONENT, MOST_RISE } from './linear.mjs';

const START = `<!-- Written by \`node bench/run.mjs --scale\` from bench/results/scale.json: change bench/scale/page.mjs. -->

# Scale

How time and memory grow with the number of servers, messages, bytes and tools. Each cost is to grow linearly at most.
`;

const HOW = `## How it is measured

\`npm run build && node bench/run.mjs --scale\` measures all of it, in about ten minutes, and writes this page. \`--only=calls-http\`
measures one line, \`--most=1000\` all points up to 1000; both print only.

- Each point is measured in a process of its own, against a server in another process, once the code was warm.
- "CPU" is that of the process with the client, its garbage collection included. "Peak" is how much resident memory grew at most during
  the first run.
- The exponent is the slope of a line through the upper two decades, both axes logarithmic: 1 is linear, 2 quadratic. Over ${MOST_EXPONENT}, or if
  one costs over ${MOST_RISE} times what one cost a decade before, it counts as not linear, and the command fails. A time without an exponent was
  disturbed: other programs took CPU from every run of a point.
- The dashed line of a picture is linear. Values under ${METRICS.ms.least} ms or ${METRICS.peak.least} MiB count as that much.
`;

export function pageOf({ cpus, rows }) {
  const dates = rows.map(({ date }) => date).toSorted();
  const versions = [...new Set(rows.map(({ node }) => node.slice(1)))].join(' and ');
  const measured = `Measured with Node.js ${versions} up to ${dates.at(-1)}, ${cpus}.\n`;
  return [START, measured, ...rows.map(sectionOf), HOW].join('\n');
}

function sectionOf({ id, label, unit, about, lines }) {
  return `## ${label}

${about}

![${label}: time and memory by number of ${unit}](../docs/assets/scale-${id}.svg)

| | ${unit} | CPU | per one | peak | exponent: time, CPU, peak | |
| --- | --: | --: | --: | --: | --: | --- |
${lines.map(rowOf).join('\n')}
`;
}

function rowOf({ label, points }) {
  const growth = growthOfLine(points);
  const last = points.at(-1);
  const exponents = ['ms', 'cpu', 'peak'].map((metric) => growth[metric]?.exponent.toFixed(2) ?? '–');
  const isLinear = Object.values(growth).every((one) => one.isLinear);
  const cells = [
    label,
    last.n.toLocaleString('en-US').replaceAll(',', ' '),
    milliseconds(last.cpu),
    perOne(last.cpu / last.n),
    `${last.peak.toFixed(1)} MiB`,
    exponents.join(', '),
    isLinear ? 'linear' : '**not linear**',
  ];
  return `| ${cells.join(' | ')} |`;
}

function milliseconds(ms) {
  return ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}

/** CPU of one, in what suits it. */
function perOne(ms) {
  if (ms >= 0.1) return `${ms.toFixed(2)} ms`;
  return ms >= 1e-4 ? `${(ms * 1000).toFixed(2)} µs` : `${(ms * 1e6).toFixed(2)} ns`;
}
