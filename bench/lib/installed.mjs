/** A folder in which our packages lie as they are published, for what depends on that: import and size. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stage } from '../../scripts/stage.mjs';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = [
  'client-core',
  'net-policy',
  'network',
  'transport-http',
  'transport-inprocess',
  'transport-sse',
  'transport-stdio',
  'transport-ws',
];
const OTHERS = ['@modelcontextprotocol', 'cross-spawn', 'undici', 'ws'];

export async function install() {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-fittings-bench-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '@mcp-fittings'), { recursive: true });
  for (const folder of FOLDERS) {
    await stage(join(ROOT, 'packages', folder), join(modules, '@mcp-fittings', folder));
  }
  for (const name of OTHERS) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');

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
