import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));
const imports = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((from) => {
    const code = readFileSync(join(SOURCE, from), 'utf8');
    const found = code.matchAll(
      /^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|\bimport\(\s*['"]([^'"]+)/gm,
    );
    return [...found].map(([, type, to, dynamic]) => ({
      from,
      to: to ?? dynamic,
      typeOnly: type !== undefined,
    }));
  });

it('imports nothing from outside, not even of Node.js', () => {
  expect(imports).toContainEqual({ from: 'errors/fittings-error.ts', to: './codes.js', typeOnly: false });
  expect(imports.filter(({ to }) => !to?.startsWith('.'))).toEqual([]);
});

it('contracts are types only', () => {
  expect(imports.filter(({ from, typeOnly }) => from.startsWith('contracts/') && !typeOnly)).toEqual([]);
});

it('has no dependency, and does nothing when it is loaded', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(SOURCE, '../package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('peerDependencies');
  expect(manifest).toHaveProperty('sideEffects', false);
});
