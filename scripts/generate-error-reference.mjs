/**
 * Writes docs/errors.md from the table in client-core, and from the messages in the sources of all packages. `--check` changes nothing and fails when the page is not current.
 * Needs a build: `npx tsc -b packages/client-core`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { ERROR_CODES } from '../packages/client-core/dist/index.js';
import { errorMessages } from './error-messages.mjs';

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
      ([code, { retryable, meaning }]) =>
        `| [\`${code}\`](#${code.toLowerCase()}) | ${retryable ? 'yes' : 'no'} | ${meaning} |`,
    );
  return `## Kind \`${kind}\`\n\n${text}\n\n| code | retryable | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

const MESSAGES = errorMessages(join(import.meta.dirname, '..'), new Set(Object.keys(ERROR_CODES)));

function messages([code, { meaning }]) {
  const found = MESSAGES.get(code) ?? [];
  const items = found.map(({ message, packages }) => `- ${inline(message)} (${[...packages].join(', ')})`);
  return `### ${code}\n\n${meaning}\n\n${items.join('\n')}\n`;
}

/** Text of a message is not Markdown. */
function inline(text) {
  return text.replaceAll(/[\\`*_<>[\]|]/g, '\\$&').replaceAll(/\s+/g, ' ');
}

const page = `# Error codes

<!-- Written by scripts/generate-error-reference.mjs from packages/client-core/src/errors/codes.ts. Do not edit. -->

Every error that these packages throw on purpose is a \`FittingsError\`. Act on \`code\`; \`message\` is for people and may change. One occurrence may differ from its row: its own \`kind\` and \`retryable\` count. A failed request also has \`delivery\`: \`not-sent\` (the server never saw it), \`rejected\` (it refused before doing anything) or \`unknown\` (it may have been carried out). How to act on them: [client-core](../packages/client-core/README.md#acting-on-errors). Which package throws which: the errors table of its README.

There are ${Object.keys(ERROR_CODES).length} codes.

${Object.entries(KINDS).map(section).join('\n')}
## Messages

The message of each error, as the sources have it; a word in braces stands for a value. Search this page for the words that you see, without
the values. What to do about it is in \`hint\` of the error, which \`fittings\` prints below the message.

${Object.entries(ERROR_CODES).map(messages).join('\n')}`;

const unlisted = Object.values(ERROR_CODES).filter(({ kind }) => !Object.hasOwn(KINDS, kind));
if (unlisted.length > 0)
  throw new Error(`A kind has no section: ${unlisted.map(({ kind }) => kind).join(', ')}`);

const text = await format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE });
if (!process.argv.includes('--check')) writeFileSync(PAGE, text);
else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error('docs/errors.md is not what the code says. Run: node scripts/generate-error-reference.mjs');
  process.exitCode = 1;
}
