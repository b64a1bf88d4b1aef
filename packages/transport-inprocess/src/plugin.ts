import {
  described,
  entrySchema,
  sanitizeText,
  text,
  TransportError,
  type TransportPlugin,
} from '@mcp-fittings/client-core/transport';
import { createChannelClient } from './channel-client.js';
import type { ControlChannel } from './control-channel.js';
import { createInProcessTransport } from './in-process-transport.js';
import type { ServerFactory } from './server-factory.js';

export interface InProcessPluginOptions {
  /** Servers of this process, by the name that an entry gives. */
  readonly servers?: Readonly<Record<string, ServerFactory>> | undefined;
  /** Where servers with any other name are. Without it such an entry is refused. */
  readonly channel?: ControlChannel | undefined;
  /** Copy every message to and from `servers` with `structuredClone`. Default false: the objects are shared. */
  readonly clone?: boolean | undefined;
  /** Milliseconds that a factory and its server's `connect` may take together. Default 30 000. */
  readonly startTimeoutMs?: number | undefined;
}

/** A configuration entry of `type: "sdk"`. */
export interface InProcessEntry {
  /** Which server; default is the entry's own name. */
  readonly name?: string | undefined;
}

const schema = entrySchema({
  name: described(
    'Name of the in-process server; by default the name of this entry.',
    text({ minLength: 1 }),
  ),
});

/**
 * Serves entries of `type: "sdk"` (also spelled `inprocess`): servers in this process, and servers in another runtime
 * that the host reaches through a control channel.
 */
export function inprocess(options: InProcessPluginOptions): TransportPlugin<InProcessEntry> {
  const { servers = {}, channel, clone, startTimeoutMs } = options;
  const client = channel === undefined ? undefined : createChannelClient(channel);
  return {
    specVersion: 1,
    type: 'sdk',
    aliases: ['inprocess'],
    schema,
    create(entry, context) {
      const name = entry.name ?? context.server;
      const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
      if (server !== undefined) {
        const { clock, signal } = context;
        return createInProcessTransport({ server, name, clone, startTimeoutMs, clock, signal });
      }
      if (client !== undefined) return client.transport(name, { signal: context.signal });
      const known = Object.keys(servers).join(', ');
      throw new TransportError(
        'CONFIG_INVALID',
        `There is no in-process server called '${sanitizeText(name)}'.`,
        {
          server: context.server,
          hint: known === '' ? 'Pass it to inprocess({ servers }).' : `Known names: ${sanitizeText(known)}.`,
        },
      );
    },
  };
}
