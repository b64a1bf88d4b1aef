/** `npm run corpus`: how real schemas convert. Prints a table, and every schema that did not convert exactly. */
import { convertSchema } from '@mcp-fittings/tools';
import { readRealTools } from './real-servers.mjs';
import { readTestSuite } from './test-suite.mjs';

const KINDS = ['exact', 'partial', 'none', 'refused'];

/** @type {{ source: string, label: string, kind: string, why: string }[]} */
const rows = [];

/** @param {string} source @param {string} label @param {unknown} schema */
function convert(source, label, schema) {
  try {
    const { coverage, reason, unchecked } = convertSchema(schema);
    const why =
      reason ?? unchecked.map(({ keyword, pointer }) => `${keyword} at ${pointer || '/'}`).join(', ');
    rows.push({ source, label, kind: coverage, why });
  } catch (error) {
    rows.push({
      source,
      label,
      kind: 'refused',
      why: error instanceof Error ? error.message : String(error),
    });
  }
}

for (const { server, name, inputSchema, outputSchema } of await readRealTools()) {
  convert(server, name, inputSchema);
  if (outputSchema !== undefined) convert(server, `${name} (output)`, outputSchema);
}
const real = rows.length;
for (const { file, description, schema } of readTestSuite()) {
  convert('test-suite draft-04', `${file}: ${description}`, schema);
}

/** @param {string} title @param {readonly { kind: string }[]} some */
function line(title, some) {
  const counts = KINDS.map((kind) => some.filter((row) => row.kind === kind).length);
  const shares = counts.map((count) => `${((100 * count) / some.length).toFixed(1)} %`);
  return {
    source: title,
    schemas: some.length,
    ...Object.fromEntries(KINDS.map((kind, i) => [kind, `${counts[i]} (${shares[i]})`])),
  };
}

const sources = [...new Set(rows.map(({ source }) => source))];
console.table([
  ...sources.map((source) =>
    line(
      source,
      rows.filter((row) => row.source === source),
    ),
  ),
  line('real servers', rows.slice(0, real)),
  line('all', rows),
]);
for (const { source, label, kind, why } of rows) {
  if (kind !== 'exact') console.log(`${source} / ${label}: ${kind}: ${why}`);
}
