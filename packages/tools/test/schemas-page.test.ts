import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withFigures, type Results } from '../../../test/corpus/conversions/page.mjs';

const root = `${import.meta.dirname}/../../..`;

it('docs/schemas.md has the figures of the last comparison, which found nothing unreported', () => {
  const page = readFileSync(`${root}/docs/schemas.md`, 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- test/corpus/conversions.mjs writes this
  const results = JSON.parse(readFileSync(`${root}/test/corpus/results/conversions.json`, 'utf8')) as Results;
  expect(withFigures(page, results)).toBe(page);
  for (const counts of [results.corpus, results.generated]) {
    for (const name of ['zod', 'checker', 'anthropic', 'openAi', 'openAiStrict', 'gemini', 'aiSdk'])
      expect([name, counts[name]]).toEqual([name, expect.objectContaining({ unreported: 0 })]);
  }
  expect(results.corpus['tools']).toBeGreaterThanOrEqual(1000);
});
