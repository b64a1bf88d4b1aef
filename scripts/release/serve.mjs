/**
 * `npm run release:serve`: everything as it is here, published to a registry on this machine, until Ctrl-C. In a shell with the
 * printed variables, the lines of the documentation work as they are written. See CONTRIBUTING.md.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicPackages } from '../workspace.mjs';
import { startRegistry } from './registry.mjs';
import { run } from './run.mjs';

const root = join(import.meta.dirname, '../..');

if (!existsSync(join(import.meta.dirname, 'node_modules/node/bin/node'))) {
  console.error(
    'The registry is not installed: run "npm ci --prefix scripts/release --ignore-scripts=false".',
  );
  process.exit(2);
}

const place = mkdtempSync(join(tmpdir(), 'mcp-fittings-registry-'));
const registry = await startRegistry(place);
try {
  for (const { folder } of publicPackages(root)) {
    await run('npm', ['publish', `./packages/${folder}/publish`, '--provenance=false'], {
      cwd: root,
      env: registry.env,
    });
  }
  for (const [name, value] of Object.entries(registry.env)) console.log(`export ${name}=${value}`);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
} finally {
  await registry.stop();
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}
