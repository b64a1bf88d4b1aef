/**
 * Writes docs/errors.md from the table in client-core. `--check` changes nothing and fails when the page is not current.
 * Needs a build: `npx tsc -b packages/client-core`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { ERROR_CODES } from '../packages/client-core/dist/index.js';

const CODES = new URL('../packages/client-core/src/errors/codes.ts', import.meta.url);
/** The doc comment of each code, in one line. */
const MEANINGS = new Map(
  Array.from(
    readFileSync(CODES, 'utf8').matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}(\w+):/gm),
    ([, meaning, code]) => [code, meaning],
  ),
);
const PAGE = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

/** Each kind with what it means for a program, in the order of the page. */
const KINDS = {
  config:
    'The author of the configuration, or of the program, has to act. Show `message` and `hint`; they name the field.',
  auth: 'The user has to act: sign in, unlock a keychain, grant a permission. `AUTH_REQUIRED` is an `AuthRequiredError`, and nothing interactive has happened yet.',
  'network-temporary': 'No action is needed. Wait (`backoffDelay`) and try again, if `delivery` allows it.',
  'network-permanent':
    'The owner of the network or of the address has to act. Trying again gives the same result.',
  protocol: 'The author of the server has to act. The connection usually lives on.',
  unknown: 'Look at the code, `details` and `cause`.',
};

function section([kind, text]) {
  const rows = Object.entries(ERROR_CODES)
    .filter(([, facts]) => facts.kind === kind)
    .map(
      ([code, { retryable }]) => `| \`${code}\` | ${MEANINGS.get(code)}${retryable ? ' Retryable.' : ''} |`,
    );
  return `## Kind \`${kind}\`\n\n${text}\n\n| code | meaning |\n| --- | --- |\n${rows.join('\n')}\n`;
}

const page = `# Error codes

<!-- Written by scripts/generate-error-reference.mjs from packages/client-core/src/errors/codes.ts. Do not edit. -->

A \`FittingsError\` has a \`code\` to act on, a \`message\` and a \`hint\` for people, which may change, and \`retryable\`: whether the same request may
succeed later. One error may differ from its row: its own \`kind\` and \`retryable\` count. A failed request also has \`delivery\`: \`not-sent\` (the
server never saw it), \`rejected\` (it refused before doing anything) or \`unknown\` (it may have been carried out). See [acting on
errors](../packages/client-core/README.md#acting-on-errors). The README of each package says when it throws which code.

${Object.entries(KINDS).map(section).join('\n')}`;

const unlisted = Object.values(ERROR_CODES).filter(({ kind }) => !Object.hasOwn(KINDS, kind));
if (unlisted.length > 0)
  throw new Error(`A kind has no section: ${unlisted.map(({ kind }) => kind).join(', ')}`);

const unexplained = Object.keys(ERROR_CODES).filter((code) => !MEANINGS.has(code));
if (unexplained.length > 0) throw new Error(`A code has no doc comment: ${unexplained.join(', ')}`);

const text = await format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE });
if (!process.argv.includes('--check')) writeFileSync(PAGE, text);
else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error('docs/errors.md is not what the code says. Run: node scripts/generate-error-reference.mjs');
  process.exitCode = 1;
}
