import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({ bin: z.record(z.string(), z.string()) });

/** Returns the program of an installed package. */
export function binaryOf(name: string): string {
  const manifest = (createRequire(import.meta.url).resolve.paths(name) ?? [])
    .map((folder) => join(folder, name, 'package.json'))
    .find((file) => existsSync(file));
  if (manifest === undefined) throw new Error(`${name} is not installed`);
  const [program = ''] = Object.values(manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8'))).bin);
  return join(dirname(manifest), program);
}
