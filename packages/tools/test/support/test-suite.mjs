/** The official JSON Schema test suite, draft-04, as published on npm. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('json-schema-test-suite/package.json')),
  'tests/draft4',
);

/**
 * @typedef {object} SuiteCase
 * @property {string} file
 * @property {string} description
 * @property {Record<string, unknown>} schema
 * @property {readonly { description: string, data: unknown, valid: boolean }[]} tests
 */

/** @returns {readonly SuiteCase[]} */
export function readTestSuite() {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.json'),
  );
  return files.toSorted().flatMap((file) =>
    JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).map((/** @type {SuiteCase} */ group) => ({
      ...group,
      file,
      schema: { $schema: 'http://json-schema.org/draft-04/schema#', ...group.schema },
    })),
  );
}
