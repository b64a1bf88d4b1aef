/** docs/scale.md, from a result. */
import { growthOfLine, METRICS, MOST_EXPONENT, MOST_RISE } from './linear.mjs';

const START = `<!-- Written by \`node bench/run.mjs --scale\` from bench/results/scale.json: change bench/scale/page.mjs. -->

# Scale

How time and memory grow with the number of servers, messages, bytes and tools. Each cost is to grow linearly at most.
`;

const HOW = `## How it is measured

\`npm run build && node bench/run.mjs --scale\` measures all of it, in about ten minutes, and writes this page. \`--only=calls-http\`
measures one line, \`--most=1000\` all points up to 1000; both print only.

- Each point is measured in a process of its own, against a server in another process, once the code was warm. Every run is repeated; the
  time is the median of the runs of which other programs did not take more than 10 %, the CPU that of all runs.
- "CPU" is that of the process with the client, its garbage collection included. "Peak" is how much resident memory grew at most during
  the first run, "stays" the live heap after it, while connections and tools are kept.
- The exponent is the slope of a line through the upper two decades, both axes logarithmic: 1 is linear, 2 quadratic. "Rise" is what one
  costs at the end, in what one cost a decade before. An exponent over ${MOST_EXPONENT} or a rise over ${MOST_RISE} counts as not linear:
  the command then fails, and this page says so.
- The dashed line of a picture is linear. Values under ${METRICS.ms.least} ms or ${METRICS.peak.least} MiB count as that much: they are noise, and
  what V8 had left over from warming up.
`;

export function pageOf({ cpus, rows }) {
  return [START, ...rows.map((row) => sectionOf(row, cpus)), HOW].join('\n');
}

function sectionOf({ id, label, unit, about, lines, node, date, load }, cpus) {
  const timed = lines.every(({ points }) => growthOfLine(points).ms !== undefined);
  const disturbed = timed
    ? ''
    : ' Where the time has no exponent, other programs took CPU from every run of a point: compare the CPU, which the picture shows.';
  return `## ${label}

${about}

Measured with Node.js ${node.slice(1)} on ${date}, ${cpus}, at a load of ${load.toFixed(1)}.${disturbed}

![${label}: time and memory by number of ${unit}](assets/scale-${id}.svg)

| | ${unit} | time | CPU | per one | peak | stays | exponent: time, CPU, peak | rise | |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |
${lines.map(rowOf).join('\n')}
`;
}

function rowOf({ label, points }) {
  const growth = growthOfLine(points);
  const last = points.at(-1);
  const exponents = ['ms', 'cpu', 'peak'].map((metric) => growth[metric]?.exponent.toFixed(2) ?? '–');
  const rise = Math.max(...Object.values(growth).map((one) => one.rise));
  const isLinear = Object.values(growth).every((one) => one.isLinear);
  const cells = [
    label,
    last.n.toLocaleString('en-US').replaceAll(',', ' '),
    milliseconds(last.ms),
    milliseconds(last.cpu),
    perOne(last.cpu / last.n),
    `${last.peak.toFixed(1)} MiB`,
    `${Math.max(0, last.live).toFixed(1)} MiB`,
    exponents.join(', '),
    rise.toFixed(2),
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
