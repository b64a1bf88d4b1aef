/**
 * Writes the files of status-page/ as strings into src/status/page-files.ts, so that no program has to find them beside its bundle. Run it
 * after a change to one of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

const FILES = {
  STATUS_HTML: 'status.html',
  SIGN_IN_HTML: 'sign-in.html',
  PAGE_STYLE: 'page.css',
  PAGE_SCRIPT: 'page.js',
};

const from = new URL('../status-page/', import.meta.url);
const to = new URL('../src/status/page-files.ts', import.meta.url);
const lines = Object.entries(FILES).map(
  ([name, file]) =>
    `/** Content of status-page/${file}. */\nexport const ${name} = ${JSON.stringify(readFileSync(new URL(file, from), 'utf8'))};\n`,
);
const text = `// Written by scripts/embed-status-page.mjs. Do not edit.\n\n${lines.join('\n')}`;
writeFileSync(to, await format(text, { ...(await resolveConfig(to)), filepath: to.pathname }));
