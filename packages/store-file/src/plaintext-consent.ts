import { join } from 'node:path';
import type { Clock } from '@mcp-fittings/client-core';
import { readPrivateFile, writePrivateFile } from '@mcp-fittings/toolbox/files';
import { parseValue, storeError } from '@mcp-fittings/toolbox/stores';
import type { EntryDirectory } from './entry-files.js';

/** Question that the user is asked, passed to `consent` of `fileStore`. */
export interface ConsentQuestion {
  /** Absolute path of the directory in which credentials would be stored unencrypted. */
  readonly path: string;
}

export interface ConsentOptions {
  readonly directory: EntryDirectory;
  readonly ask: ((question: ConsentQuestion) => boolean | Promise<boolean>) | undefined;
  readonly clock: Clock;
}

const FILE = 'plaintext-consent.json';

/** The user's consent to plain text on the disk: a file in the store, valid for this directory only. */
export function createConsent({ directory, ask, clock }: ConsentOptions): { assertGiven(): Promise<void> } {
  const { path, locks } = directory;

  const isRecorded = async (): Promise<boolean> => {
    const record = parseValue((await readPrivateFile(join(path, FILE))) ?? '');
    return record?.['plaintext'] === true && record['path'] === path;
  };

  return {
    async assertGiven() {
      if (await isRecorded()) return;
      // One question, even when several entries are written at once.
      await locks.run(FILE, async () => {
        if (await isRecorded()) return;
        if ((await answer(ask, path)) !== true) throw noConsent(path);
        const record = { plaintext: true, path, at: new Date(clock.now()).toISOString() };
        await writePrivateFile(path, FILE, `${JSON.stringify(record)}\n`);
      });
    },
  };
}

async function answer(ask: ConsentOptions['ask'], path: string): Promise<unknown> {
  try {
    return await ask?.({ path });
  } catch (cause) {
    throw storeError('CALLBACK_FAILED', 'The `consent` callback of the file store threw an error.', {
      cause,
    });
  }
}

function noConsent(path: string): Error {
  return storeError(
    'POLICY_DENIED',
    `Cannot store credentials unencrypted in ${path} without the user's consent.`,
    {
      hint: 'Use a keychain or an encrypted file, or ask the user through the `consent` callback.',
      details: { path },
    },
  );
}
