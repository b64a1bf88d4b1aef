import { join } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { program } from './program.js';

/** Entries as in an `.mcp.json`: real servers from npm, and one that runs in this process. */
export function localServers(folder: string): Record<string, ServerConfig> {
  return {
    everything: {
      command: process.execPath,
      args: [program('@modelcontextprotocol/server-everything'), 'stdio'],
    },
    filesystem: {
      command: process.execPath,
      args: [program('@modelcontextprotocol/server-filesystem'), folder],
    },
    memory: {
      command: process.execPath,
      args: [program('@modelcontextprotocol/server-memory')],
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    },
    clock: { type: 'sdk' },
  };
}
