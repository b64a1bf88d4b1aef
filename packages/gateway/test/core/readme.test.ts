import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/surface/surface-options.js';

it('the README names the limits that apply by default', () => {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, row = ''] = /^\| `limits` .*\{ (.*) \}/m.exec(text) ?? [];
  const limits = row.split(', ').map((each) => each.replaceAll('_', '').split(': '));
  expect(limits).toEqual(Object.entries(DEFAULT_LIMITS).map(([name, limit]) => [name, String(limit)]));
});
