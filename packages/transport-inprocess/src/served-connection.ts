import { type Clock, type JSONRPCMessage, type RequestId, TransportError } from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { ChannelTransport } from './channel-transport.js';
import type { ControlChannel } from './control-channel.js';
import { HostedServer, type ServerFactory } from './hosted-server.js';

/** One client's connection to one served server. */
export type ServedConnection = ReturnType<typeof serveConnection>;

export interface ServedConnectionOptions {
  readonly server: string;
  readonly channel: ControlChannel;
  readonly createServer: ServerFactory;
  readonly startTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly onError: (error: TransportError) => void;
  /** Answers a request that the server cannot answer with a JSON-RPC error. */
  readonly refuse: (id: RequestId) => void;
  /** Called once, as soon as no more messages are accepted. */
  readonly onEnd: () => void;
}

/** A client that keeps sending while the server is being created must not fill the memory. */
const BACKLOG_MESSAGES = 1024;

export function serveConnection(options: ServedConnectionOptions) {
  const {
    server,
    channel,
    createServer,
    startTimeoutMs = 30_000,
    clock = systemClock,
    onError,
    refuse,
    onEnd,
  } = options;
  let backlog: JSONRPCMessage[] | undefined = [];
  let stopped: Promise<void> | undefined;
  const hosted = new HostedServer({ server, createServer, startTimeoutMs, clock, onError });

  const takeBacklog = (): JSONRPCMessage[] => {
    const waiting = backlog ?? [];
    backlog = undefined;
    return waiting;
  };
  const end = (): Promise<void> => {
    if (stopped !== undefined) return stopped;
    stopped = hosted.stop();
    onEnd();
    return stopped;
  };

  const transport: ChannelTransport = new ChannelTransport({ server }, channel, {
    add() {
      for (const message of takeBacklog()) transport.receive(message);
    },
    remove: () => void end(),
  });

  const start = async (): Promise<void> => {
    try {
      await hosted.start(transport);
    } catch (error) {
      for (const message of takeBacklog()) if (isRequest(message)) refuse(message.id);
      if (stopped === undefined) onError(asTransportError(error, server));
      await transport.close();
      await end();
    }
  };
  void start();

  return {
    /** Passes a message of the client to the server; messages wait until the server is connected. */
    receive(message: JSONRPCMessage): void {
      if (backlog === undefined) transport.receive(message);
      else if (backlog.length < BACKLOG_MESSAGES) backlog.push(message);
      else if (isRequest(message)) refuse(message.id);
    },
    /** Ends the connection without telling the client, which is gone. */
    abandon(): void {
      takeBacklog();
      transport.peerClosed();
      void end();
    },
    /** Resolves when the server is closed. */
    async close(): Promise<void> {
      await transport.close();
      await end();
    },
  };
}

function asTransportError(cause: unknown, server: string): TransportError {
  if (cause instanceof TransportError) return cause;
  return new TransportError('CALLBACK_FAILED', 'The server could not be started.', { server, cause });
}
