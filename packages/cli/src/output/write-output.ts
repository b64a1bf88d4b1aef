import { writeFile } from 'node:fs/promises';
import { FittingsError } from '@mcp-fittings/client-core';
import { shown } from './shown.js';

/** Writes what `-o` asks for. Rejects with `CONFIG_READ_ONLY`. */
export async function writeOutput(file: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (cause) {
    throw new FittingsError('CONFIG_READ_ONLY', `Cannot write the file ${shown(file)}.`, { cause });
  }
}
