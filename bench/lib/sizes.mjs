/** What installing one package alone brings, in bytes. */
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OWN = '@mcp-fittings/';

const TRANSPORTS = ['stdio', 'http', 'sse', 'ws', 'inprocess'];

/** One record for each transport of ours, and the whole of SDK v2 beside it. */
export function measureSizes(directory) {
  const sdk2 = total(closure('@modelcontextprotocol/client', directory));
  return TRANSPORTS.map((name) => {
    const all = closure(`${OWN}transport-${name}`, directory);
    const own = all.filter((one) => one.name.startsWith(OWN));
    return {
      id: `size-${name}`,
      label: `installed alone: transport-${name}`,
      bytes: total(all),
      largestOwn: Math.max(...own.map((one) => one.bytes)),
      sdk2,
    };
  });
}

function total(all) {
  return all.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The package and all that it depends on, optional peers not included. */
function closure(name, directory) {
  const found = new Map();
  const visit = (wanted, from) => {
    const folder = folderOf(wanted, from);
    if (found.has(folder)) return;
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    found.set(folder, { name: wanted, bytes: bytesIn(folder) });
    for (const dependency of Object.keys(manifest.dependencies ?? {})) visit(dependency, folder);
  };
  visit(name, directory);
  return [...found.values()];
}

function folderOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(folder)) return realpathSync(folder);
    if (at === dirname(at)) throw new Error(`${name} is not installed.`);
  }
}

function bytesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesIn(path) : statSync(path).size);
    }, 0);
}
