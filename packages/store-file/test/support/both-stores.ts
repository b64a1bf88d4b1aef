import type { TokenStore } from '@mcp-fittings/client-core';
import { encryptedFileStore, fileStore } from '@mcp-fittings/store-file';

/** Both stores that write files: the name, the end of the names of its files, and how it is opened. */
export const bothStores: readonly (readonly [string, string, (path: string) => TokenStore])[] = [
  ['file', '.json', (path) => fileStore({ path, consent: () => true })],
  [
    'encrypted file',
    '.sealed',
    (path) => encryptedFileStore({ path, key: () => ({ id: 'k', bytes: new Uint8Array(32) }) }),
  ],
];
