import type { Logger, RequestId } from '@mcp-fittings/client-core';
import { isRequestId } from '@mcp-fittings/toolbox/messages';
import type { Server, ServerEvent } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '../contracts/caller.js';
import type { StdioOptions } from '../contracts/gateway.js';
import type { Surface } from '../contracts/surface.js';
import { subscribedUris } from '../http/exchanges.js';

/** Options of {@link serveStdio}. */
export interface ServeStdioOptions extends StdioOptions {
  readonly surface: Surface;
  readonly caller: Caller;
  readonly maxMessageBytes: number;
  readonly maxSubscriptions: number;
  readonly logger: Logger | undefined;
}

/** Serves one client of either protocol era over two streams. Resolves when the connection has ended. */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { surface, caller, mount = {}, maxMessageBytes, maxSubscriptions, logger, signal } = options;
  const { input = process.stdin, output = process.stdout } = options;
  const transport = new EndingTransport(input, output, { maxBufferSize: maxMessageBytes });
  let modern: Server | undefined;
  let unsubscribe = (): void => undefined;
  /** Resources of the client's event streams, by the id of their request. */
  const streams = new Map<RequestId, readonly string[]>();
  /** The SDK turns notifications of the server into events of the client's `subscriptions/listen`. */
  const watch = (): void => {
    unsubscribe();
    const uris = new Set([...streams.values()].flat());
    unsubscribe = surface.events(caller, mount, [...uris]).subscribe((event) => {
      if (modern !== undefined) void publish(modern, event).catch(() => undefined);
    });
  };
  const handle = serveSdkStdio(
    ({ era }) => {
      const server = surface.createServer({ caller, mount, era });
      if (era === 'modern') modern = server;
      return server;
    },
    { transport, maxSubscriptions, onerror: (error) => logger?.debug(error.message) },
  );
  const deliver = transport.onmessage;
  transport.onmessage = (message) => {
    deliver?.(message);
    if (!('method' in message)) return;
    if (message.method === 'subscriptions/listen' && 'id' in message) {
      streams.set(message.id, subscribedUris(message));
      watch();
    } else if (message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (isRequestId(id) && streams.delete(id)) watch();
    }
  };
  const stop = (): void => void handle.close();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  await transport.ended;
  signal?.removeEventListener('abort', stop);
  unsubscribe();
  await handle.close();
}

async function publish(server: Server, event: ServerEvent): Promise<void> {
  if (event.kind === 'tools_list_changed') await server.sendToolListChanged();
  else if (event.kind === 'prompts_list_changed') await server.sendPromptListChanged();
  else if (event.kind === 'resources_list_changed') await server.sendResourceListChanged();
  else await server.sendResourceUpdated({ uri: event.uri });
}

/** Says when the client has closed its end: the SDK's entry keeps `onclose` to itself. */
class EndingTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;

  constructor(...options: ConstructorParameters<typeof StdioServerTransport>) {
    super(...options);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#end();
  }
}
