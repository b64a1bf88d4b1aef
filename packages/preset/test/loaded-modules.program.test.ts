import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { everything } from './support/workspace.js';

const here = (name: string): string => fileURLToPath(new URL(`./support/${name}`, import.meta.url));

/** Returns the packages of ours that a program loads which opens a host with these options. */
async function loadedPackages(...args: readonly string[]): Promise<readonly string[]> {
  const flags = ['--import', here('print-loaded.mjs'), here('opens-host.mjs')];
  const { stderr } = await promisify(execFile)(process.execPath, [...flags, ...args]);
  const names = Array.from(
    stderr.matchAll(/^loaded file:.*\/packages\/([\w-]+)\/dist\//gm),
    ([, name = '']) => name,
  );
  return [...new Set(names)].toSorted();
}

const ALWAYS = ['client-core', 'config', 'host', 'preset', 'toolbox'];
const REMOTE = { url: 'http://127.0.0.1:1/mcp', reconnect: { maxAttempts: 0 } };

it('importing the package loads what every host needs, and no transport, scheme, store or tools', async () => {
  expect(await loadedPackages()).toEqual(ALWAYS);
  expect(await loadedPackages('{}')).toEqual(ALWAYS);
});

it.each([
  ['a local server loads one transport', { local: everything }, ['transport-stdio']],
  [
    'a remote server loads its transport, OAuth and the store',
    { remote: REMOTE },
    ['auth-oauth', 'http-client', 'store-file', 'transport-http'],
  ],
  [
    'a server with its own key loads no other transport',
    { older: { ...REMOTE, type: 'sse', apiKey: 'a-key-of-mine' } },
    ['auth-oauth', 'http-client', 'transport-sse'],
  ],
])('%s', async (_what, servers, more) => {
  expect(await loadedPackages(JSON.stringify({ servers }))).toEqual([...ALWAYS, ...more].toSorted());
});

it('tools are loaded when they are asked for', async () => {
  const servers = { local: everything };
  expect(await loadedPackages(JSON.stringify({ servers }), 'tools')).toEqual(
    [...ALWAYS, 'tools', 'transport-stdio'].toSorted(),
  );
});
