// Imported by other processes: a store on the same data. From `dist`, like an installed package.
import { encryptedFileStore, fileStore } from '@mcp-fittings/store-file';

const lock = { staleMs: 1000 };
const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

export function openStore(argument) {
  const { kind, path } = JSON.parse(argument);
  if (kind === 'file') return fileStore({ path, consent: () => true, lock });
  return encryptedFileStore({
    path,
    lock,
    ...(kind === 'key' ? { key } : { passphrase: () => 'correct horse' }),
  });
}
