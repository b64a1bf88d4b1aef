import { resolve } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { digestOf } from '../catalogue/digest.js';

/**
 * Tells one server from another that has the same name: a digest of every field of the entry. The same command means
 * another program in another folder, so that the folder belongs to it.
 */
export function entryIdentity(config: ServerConfig): string {
  return digestOf(['entry', config, config['command'] === undefined ? null : folderOf(config)]);
}

function folderOf({ cwd }: ServerConfig): string {
  try {
    // Without a folder of its own it starts in the home, wherever the host runs.
    return typeof cwd === 'string' ? resolve(cwd) : '';
  } catch {
    // The current folder was deleted: no program can start in it either.
    return '';
  }
}
