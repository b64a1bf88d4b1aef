import {
  isRequest,
  systemClock,
  TransportError,
  type Clock,
  type JSONRPCMessage,
  type RequestId,
} from '@mcp-fittings/client-core/transport';
import { ChannelHalf } from './channel-half.js';
import type { ControlChannel } from './control-channel.js';
import { hostServer } from './hosted-server.js';
import type { ServerFactory } from './server-factory.js';

/** One client's connection to one served server. */
export interface ServedConnection {
  /** Takes a message of the client; those that come before the server is there wait for it. */
  take(message: JSONRPCMessage): void;
  /** The client is gone; it is not told of the end. */
  abandon(): void;
  /** Resolves when the server is closed. */
  close(): Promise<void>;
}

export interface ServedConnectionOptions {
  readonly name: string;
  readonly channel: ControlChannel;
  readonly factory: ServerFactory;
  readonly startTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly onError: (error: TransportError) => void;
  /** The server can't answer this request. */
  readonly refuse: (id: RequestId) => void;
  /** Told once, as soon as no more messages are taken. */
  readonly onEnd: () => void;
}

/** A client that goes on sending while the server is still being made must not fill the memory. */
const BACKLOG_MESSAGES = 1024;

export function serveConnection(options: ServedConnectionOptions): ServedConnection {
  const {
    name,
    channel,
    factory,
    startTimeoutMs = 30_000,
    clock = systemClock,
    onError,
    refuse,
    onEnd,
  } = options;
  let backlog: JSONRPCMessage[] | undefined = [];
  let stopped: Promise<void> | undefined;
  const hosted = hostServer({ name, factory, startTimeoutMs, clock, onError });

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

  const half: ChannelHalf = new ChannelHalf({ server: name }, channel, {
    add() {
      for (const message of takeBacklog()) half.take(message);
    },
    remove: () => void end(),
  });

  const start = async (): Promise<void> => {
    try {
      await hosted.start(half);
    } catch (error) {
      for (const message of takeBacklog()) if (isRequest(message)) refuse(message.id);
      if (stopped === undefined) onError(asTransportError(error, name));
      await half.close();
      await end();
    }
  };
  void start();

  return {
    take(message) {
      if (backlog === undefined) half.take(message);
      else if (backlog.length < BACKLOG_MESSAGES) backlog.push(message);
      else if (isRequest(message)) refuse(message.id);
    },
    abandon() {
      takeBacklog();
      half.peerClosed();
      void end();
    },
    async close() {
      await half.close();
      await end();
    },
  };
}

function asTransportError(cause: unknown, server: string): TransportError {
  if (cause instanceof TransportError) return cause;
  return new TransportError('CALLBACK_FAILED', 'The server could not be made.', { server, cause });
}
