import type { Transport, TransportPlugin } from '@mcp-fittings/client-core';
import { entrySchema, text } from '@mcp-fittings/toolbox/entries';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';

/** Anything that serves MCP over one transport. */
export interface TestServer {
  connect(transport: unknown): Promise<void>;
}

export interface TestServers {
  readonly plugin: TransportPlugin;
  /** Ends every connection from the server's side. */
  drop(): Promise<void>;
  /** How many transports are open now, and the most that were open at once. */
  readonly open: number;
  readonly mostOpen: number;
  readonly created: number;
}

/** A plugin of type `test` that serves each entry with what `make` gives; `make` may throw. */
export function testServers(make: (name: string) => TestServer): TestServers {
  const sides = new Set<Transport>();
  let created = 0;
  let mostOpen = 0;
  return {
    plugin: {
      specVersion: 1,
      type: 'test',
      schema: entrySchema({ note: text() }),
      create(_entry, { server }) {
        created++;
        const [client, other] = createLinkedPair({ server });
        const instance = make(server);
        const start = client.start.bind(client);
        client.start = async () => {
          await instance.connect(other);
          await start();
          sides.add(other);
          mostOpen = Math.max(mostOpen, sides.size);
        };
        const close = client.close.bind(client);
        client.close = async () => {
          await close();
          sides.delete(other);
        };
        return client;
      },
    },
    async drop() {
      const all = [...sides];
      sides.clear();
      await Promise.all(all.map((side) => side.close()));
    },
    get open() {
      return sides.size;
    },
    get mostOpen() {
      return mostOpen;
    },
    get created() {
      return created;
    },
  };
}
