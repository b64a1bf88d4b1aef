import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface TemporaryDirectory {
  readonly path: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Creates a private directory, which exists until it is disposed of. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'fittings-test-'));
  // Windows may need some time to release a file.
  const removal = { recursive: true, force: true, maxRetries: 5 };
  return { path, [Symbol.asyncDispose]: () => rm(path, removal) };
}

/** Creates a private directory, which exists until the test has finished, and returns its path. */
export async function folderOfTest(): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}
