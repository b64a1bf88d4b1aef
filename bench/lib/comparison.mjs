/** The figures of docs/comparison.md: our transports as a multiple of the better SDK, in each Node.js that was measured. */

/** The rows of the table, by the id of a workload. */
const ROWS = {
  'one-stdio': 'one call at a time: stdio',
  'one-http': 'one call at a time: HTTP, JSON',
  'one-ws': 'one call at a time: WebSocket',
  'client1-inprocess': 'one call at a time, in-process, under the `Client` of SDK v1',
  'flight64-stdio': '64 calls in flight: stdio',
  'flight64-http': '64 calls in flight: HTTP, JSON',
  'large10-http': 'a result of 10 MB: HTTP, JSON',
  'idle-heap-http': 'heap of an idle HTTP connection',
  'import-stdio': 'time to import: stdio',
  'import-http': 'time to import: HTTP',
  'size-http': 'size when installed: HTTP',
};
const BEGIN = '<!-- figures, written by `node bench/run.mjs --documents` -->\n';
const END = '<!-- end of the figures -->';

/**
 * Returns the page with the figures of the results.
 * @param {string} page
 * @param {readonly { node: string, records: readonly { id: string, figures: readonly object[] }[] }[]} results
 */
export function withFigures(page, results) {
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  return `${page.slice(0, begin)}\n${tableOf(results)}\n${page.slice(page.indexOf(END))}`;
}

function tableOf(results) {
  const rows = Object.entries(ROWS).map(([id, label]) => [
    label,
    ...results.map((result) => ratioOf(result, id)),
  ]);
  const heads = [
    'ours, as a multiple of the better SDK',
    ...results.map(({ node }) => `Node.js ${node.slice(1)}`),
  ];
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return `${[line(heads), rule, ...rows.map(line)].join('\n')}\n`;
}

function ratioOf({ records }, id) {
  const figure = records.find((record) => record.id === id)?.figures.find(({ against }) => against === 'sdk');
  return figure === undefined ? 'not measured' : figure.value.toPrecision(2);
}
