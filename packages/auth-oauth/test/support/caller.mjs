/** A host process: makes five concurrent calls on request, and reports how many were accepted. */
import { createInterface } from 'node:readline';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { authorizedFetch, createOAuthProvider } from '@mcp-fittings/auth-oauth';
import { encryptedFileStore, fileStore } from '@mcp-fittings/store-file';

const STORES = {
  file: ({ path }) => fileStore({ path, consent: () => true }),
  encrypted: ({ path, key }) =>
    encryptedFileStore({ path, key: () => ({ id: 'test', bytes: Buffer.from(key, 'base64url') }) }),
};

const { url, kind, ...rest } = JSON.parse(process.argv[2]);
// The clock shows a minute between two rounds: no host requests tokens as fast as this test does.
let passed = 0;
const provider = createOAuthProvider({
  url,
  server: 'test',
  clientName: 'tests',
  store: STORES[kind](rest),
  clock: { ...systemClock, now: () => Date.now() + passed },
});
const call = authorizedFetch(provider, { url });
const work = async () => {
  passed += 60_000;
  const calls = Array.from({ length: 5 }, () => call(url, { method: 'POST', body: '{}' }));
  const ended = await Promise.allSettled(calls);
  const trouble = ended.find(({ status }) => status === 'rejected')?.reason?.message ?? '';
  const good = ended.filter(({ value }) => value?.status === 200).length;
  console.log(JSON.stringify({ good, trouble }));
};
createInterface({ input: process.stdin }).on('line', () => void work());
console.log('ready');
