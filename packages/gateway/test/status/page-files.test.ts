import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import * as embedded from '../../src/status/page-files.js';

it('serves what stands in status-page/; after a change: node packages/gateway/scripts/embed-status-page.mjs', async () => {
  const read = (name: string) => readFile(new URL(`../../status-page/${name}`, import.meta.url), 'utf8');
  expect({ ...embedded }).toEqual({
    STATUS_HTML: await read('status.html'),
    SIGN_IN_HTML: await read('sign-in.html'),
    PAGE_STYLE: await read('page.css'),
    PAGE_SCRIPT: await read('page.js'),
  });
});
