import { createWebSocketTransport, type WebSocketTransportOptions } from '@mcp-fittings/transport-ws';
import { record, type Recorder } from './recorder.js';

/** A client that gives up a peer which does not answer its close frame after a tenth of a second. */
export function client(url: string, options: Partial<WebSocketTransportOptions> = {}): Recorder {
  const network = { env: {}, ...options.network };
  return record(createWebSocketTransport({ url, closeTimeoutMs: 100, ...options, network }));
}

export async function startedClient(
  url: string,
  options: Partial<WebSocketTransportOptions> = {},
): Promise<Recorder> {
  const recorder = client(url, options);
  await recorder.transport.start();
  return recorder;
}
