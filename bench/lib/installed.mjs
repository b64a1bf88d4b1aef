/** A folder that finds our packages as they are published, for what depends on that: import and size. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackages } from '../../scripts/installed.mjs';

export async function install() {
  const directory = mkdtempSync(join(await installedPackages(), 'bench-'));
  return {
    directory,
    /** A program that says how long after its start, and after how much CPU, it has imported a module; undefined: none. */
    program(name, module) {
      const file = join(directory, `${name}.mjs`);
      const load = module === undefined ? '' : `import ${JSON.stringify(module)};\n`;
      const said = 'JSON.stringify([performance.now(), process.cpuUsage()])';
      writeFileSync(file, `${load}process.stdout.write(${said});\n`);
      return file;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
