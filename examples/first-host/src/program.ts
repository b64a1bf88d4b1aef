import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Returns the program of an installed package. Your configuration would have `{ command: 'npx', args: ['-y', name] }`. */
export function program(packageName: string): string {
  const manifest = (require.resolve.paths(packageName) ?? [])
    .map((folder) => join(folder, packageName, 'package.json'))
    .find((file) => existsSync(file));
  if (manifest === undefined) throw new Error(`${packageName} is not installed: run "npm ci" first.`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> };
  return join(dirname(manifest), Object.values(bin)[0] ?? '');
}
