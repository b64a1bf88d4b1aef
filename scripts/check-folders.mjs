/** The folders of each package import each other in one direction: no folder is above and below another. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publicPackages } from './workspace.mjs';

/** Imports of types count: they bind a reader as other imports do. */
const IMPORT = /^(?:import|export) [^;]*?from '(\.[^']+)\.js'/gm;

/** One sentence for each cycle of folders below `source`. Files directly in `source` bind the rooms together and may import any. */
export function folderCycles(source) {
  const edges = new Map();
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    const from = dirname(name).split(sep)[0];
    if (!name.endsWith('.ts') || from === '.') continue;
    for (const [, target] of readFileSync(join(source, name), 'utf8').matchAll(IMPORT)) {
      const path = relative(source, join(source, dirname(name), target)).split(sep);
      if (path.length > 1 && path[0] !== from) edges.set(from, (edges.get(from) ?? new Set()).add(path[0]));
    }
  }
  const cycles = [];
  const done = new Set();
  const visit = (folder, way) => {
    if (way.includes(folder)) return cycles.push([...way.slice(way.indexOf(folder)), folder].join(' → '));
    if (done.has(folder)) return;
    for (const next of edges.get(folder) ?? []) visit(next, [...way, folder]);
    done.add(folder);
  };
  for (const folder of edges.keys()) visit(folder, []);
  return cycles;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(import.meta.dirname, '..');
  const problems = publicPackages(root).flatMap(({ folder }) =>
    folderCycles(join(root, 'packages', folder, 'src')).map((cycle) => `packages/${folder}: ${cycle}`),
  );
  for (const problem of problems) console.error(problem);
  console.log(
    problems.length === 0
      ? 'No folders import each other in a circle.'
      : `${problems.length} circles of folders, imports of types included.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
