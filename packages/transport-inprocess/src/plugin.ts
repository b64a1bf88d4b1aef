import { TransportError, type TransportPlugin } from '@mcp-fittings/client-core';
import { described, entrySchema, text } from '@mcp-fittings/toolbox/entries';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { createChannelClient } from './channel-client.js';
import type { ControlChannel } from './control-channel.js';
import { createInProcessTransport } from './in-process-transport.js';
import type { ServerFactory } from './hosted-server.js';

/** A configuration entry with `type: "sdk"`, as {@link inprocess} reads it. */
export interface InProcessEntry {
  /** Name of the server to connect to. Default: the one with the name of the entry. */
  readonly name?: string | undefined;
}

const schema = entrySchema({
  name: described(
    'Name of the in-process server; by default the name of this entry.',
    text({ minLength: 1 }),
  ),
});

/**
 * Creates the plugin for configuration entries with `type: "sdk"` (or `"inprocess"`): servers in this process, and servers in
 * another runtime that the host reaches through a control channel.
 *
 * @example
 * ```ts
 * const host = createHost({ name, version, transports: [inprocess({ servers: { notes: createNotesServer } })] });
 * await host.connect({ notes: { type: 'sdk' } });
 * ```
 */
export function inprocess(options: {
  /** Factories of the servers of this process, by the name that a configuration entry gives. Default none. */
  readonly servers?: Readonly<Record<string, ServerFactory>> | undefined;
  /** Reaches the servers that are not in `servers`. Without it, an entry for such a server fails with `CONFIG_INVALID`. */
  readonly channel?: ControlChannel | undefined;
  /** Copy every message to and from `servers` with `structuredClone`. Default false: the objects are shared. */
  readonly clone?: boolean | undefined;
  /** Milliseconds that a factory and its server's `connect()` may take together. Default 30 000. */
  readonly startTimeoutMs?: number | undefined;
}): TransportPlugin<InProcessEntry> {
  const { servers = {}, channel, clone, startTimeoutMs } = options;
  const client = channel === undefined ? undefined : createChannelClient(channel);
  return {
    specVersion: 1,
    type: 'sdk',
    aliases: ['inprocess'],
    schema,
    create(entry, { server, clock, signal }) {
      const name = entry.name ?? server;
      const createServer = Object.hasOwn(servers, name) ? servers[name] : undefined;
      if (createServer !== undefined) {
        return createInProcessTransport({ createServer, server: name, clone, startTimeoutMs, clock, signal });
      }
      if (client !== undefined) return client.transport(name, { signal });
      const known = Object.keys(servers).join(', ');
      throw new TransportError(
        'CONFIG_INVALID',
        `There is no in-process server named "${sanitizeText(name)}".`,
        {
          server,
          hint:
            known === ''
              ? 'Pass its factory to inprocess({ servers }).'
              : `The known names are: ${sanitizeText(known)}.`,
        },
      );
    },
  };
}
