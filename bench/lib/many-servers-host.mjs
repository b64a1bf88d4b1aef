/** A host with a cache, as its user would write it. Importing this file imports `createHost`, the transports and nothing more. */
import { createHost } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';

export function openHost(folder) {
  return createHost({
    name: 'bench',
    version: '1.0.0',
    transports: [stdio(), http()],
    cache: fileCache({ folder }),
  });
}
