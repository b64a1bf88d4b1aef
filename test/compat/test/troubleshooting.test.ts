import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINDING_CODES } from '@mcp-fittings/cli';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');

it('the page has every finding of the doctor', () => {
  expect(Object.keys(FINDING_CODES).length).toBeGreaterThan(40);
  const missing = Object.keys(FINDING_CODES).filter((code) => !page.includes(`\`${code}\``));
  expect(missing).toEqual([]);
});

it('the page names no code that neither the doctor nor an error has', () => {
  const errors = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const named = [...page.matchAll(/`([A-Z]{2,}(?:_[A-Z]+)+)`/g)].map(([, code = '']) => code);
  const known = (code: string): boolean => code in FINDING_CODES || errors.includes(`\`${code}\``);
  expect(named.filter((code) => !known(code) && !['HTTPS_PROXY', 'NO_PROXY'].includes(code))).toEqual([]);
});
