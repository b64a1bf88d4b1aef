import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const { tasks } = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8')) as {
  tasks: Record<string, { inputs: string[] }>;
};
const FOREIGN = /'(?:\.\.\/)+([a-z]+-?[a-z]*)\/test\/support\//g;

/** Packages whose test support the tests of another package import. */
function sharedSupport(): string[] {
  const packages = readdirSync(join(root, 'packages'));
  const found = packages.flatMap((folder) => {
    const tests = join(root, 'packages', folder, 'test');
    const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(?:ts|mjs)$/.test(name),
    );
    return files.flatMap((name) =>
      [...readFileSync(join(tests, name), 'utf8').matchAll(FOREIGN)].flatMap(([, other = '']) =>
        other === folder || !packages.includes(other) ? [] : [other],
      ),
    );
  });
  return [...new Set(found)].toSorted();
}

describe('turbo, which keeps the results of tests,', () => {
  it('runs them again when test support of another package changes', () => {
    const named = tasks['test']?.inputs.join(' ').match(/packages\/\{([^}]*)\}\/test\/support/)?.[1] ?? '';
    expect(sharedSupport().length).toBeGreaterThan(0);
    expect(named.split(',').toSorted()).toEqual(sharedSupport());
  });
});
