/** A folder that finds our packages as they are published, for what depends on that: import and size. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackages } from '../../scripts/installed.mjs';

/** `process.getBuiltinModule` costs no import; Node 20.16 has it, too. */
const SAY = `const ms = performance.now(), cpu = process.cpuUsage();
let schedstat = null;
try {
  schedstat = process.getBuiltinModule('node:fs').readFileSync('/proc/self/schedstat', 'utf8');
} catch {}
process.stdout.write(JSON.stringify({ ms, cpu, schedstat }));
`;

export async function install() {
  const directory = mkdtempSync(join(await installedPackages(), 'bench-'));
  return {
    directory,
    /** A program that says when after its start it has imported a module (undefined: none), its CPU, and how long it waited for one. */
    program(name, module) {
      const file = join(directory, `${name}.mjs`);
      const load = module === undefined ? '' : `import ${JSON.stringify(module)};\n`;
      writeFileSync(file, load + SAY);
      return file;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
