import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';

const FOLDER = join(import.meta.dirname, '../servers/node_modules/@modelcontextprotocol');

/** Returns the entry of one of the example servers in `servers/package.json`. Throws if they are not installed. */
export function exampleServer(name: string): ServerConfig {
  const program = join(FOLDER, `server-${name}`, 'dist/index.js');
  if (!existsSync(program)) {
    throw new Error(`${program} does not exist. Run: npm ci --prefix examples/apps-host/servers`);
  }
  return { command: process.execPath, args: [program, '--stdio'] };
}
