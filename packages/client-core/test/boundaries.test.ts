import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const imports: Import[] = files.flatMap((file) => {
  const code = readFileSync(join(SOURCE, file), 'utf8');
  const statements = code.matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|\bimport\(\s*['"]([^'"]+)/gm,
  );
  return [...statements].map(([, type, target = '', dynamic = '']) => {
    const to = target || dynamic;
    const path = to.startsWith('.') ? relative(SOURCE, resolve(SOURCE, dirname(file), to)) : to;
    return { from: file, to: path.replace(/\.js$/, '.ts'), typeOnly: type !== undefined };
  });
});

describe('direction of imports', () => {
  it('sees them at all', () => {
    expect(imports.length).toBeGreaterThan(40);
    expect(imports).toContainEqual({
      from: 'errors/fittings-error.ts',
      to: 'errors/codes.ts',
      typeOnly: false,
    });
  });

  it('core imports nothing from outside; of Node.js only the entry points files and programs use more than node:timers', () => {
    const outside = imports.filter(({ to }) => !files.includes(to));
    const allowed = ({ from, to }: (typeof imports)[number]): boolean =>
      to === 'node:timers' || (/^(?:files|programs)\//.test(from) && to.startsWith('node:'));
    expect(outside.filter((each) => !allowed(each))).toEqual([]);
    const uses = imports.filter(({ from, to }) => to.startsWith('files/') && !from.startsWith('files/'));
    expect(new Set(uses.map(({ from }) => from))).toEqual(new Set(['files.ts']));
    const starters = imports.filter(
      ({ from, to }) => to.startsWith('programs/') && !from.startsWith('programs/'),
    );
    expect(new Set(starters.map(({ from }) => from))).toEqual(new Set(['programs.ts']));
  });

  it('contracts import only contracts, and the types of errors', () => {
    const strange = imports
      .filter(({ from }) => from.startsWith('contracts/'))
      .filter(({ to, typeOnly }) => !typeOnly || !(to.startsWith('contracts/') || to.startsWith('errors/')));
    expect(strange).toEqual([]);
  });

  it('errors, text, messages and schemas know nothing of transports', () => {
    const strange = imports.filter(
      ({ from, to }) => /^(errors|text|wire|schema|timing)\b/.test(from) && to.startsWith('base-transport/'),
    );
    expect(strange).toEqual([]);
  });

  it('entry points are imported by no other module', () => {
    expect(
      imports.filter(({ to }) =>
        ['index.ts', 'transport.ts', 'auth.ts', 'files.ts', 'programs.ts', 'text.ts'].includes(to),
      ),
    ).toEqual([]);
  });

  it('has no dependency, and does nothing when it is loaded', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(SOURCE, '../package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
    expect(manifest).toHaveProperty('sideEffects', false);
  });
});
