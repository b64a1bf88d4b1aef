import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';

/** What a transport told its host. */
export interface Session {
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  readonly closes: number;
  readonly closed: Promise<void>;
  /** Settles when so many messages have come. */
  received(count: number): Promise<void>;
}

export function listen(transport: Transport): Session {
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  const waiting = new Set<() => void>();
  let closes = 0;
  let resolveClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (resolveClosed = resolve));
  transport.onmessage = (message) => {
    messages.push(message);
    for (const look of waiting) look();
  };
  transport.onerror = (error) => void errors.push(error);
  transport.onclose = () => {
    closes++;
    resolveClosed();
  };
  return {
    messages,
    errors,
    get closes() {
      return closes;
    },
    closed,
    received: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (messages.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

export const request = (id: number | string, method = 'ping', params = {}) =>
  ({ jsonrpc: '2.0', id, method, params }) as const;

export const notification = (method: string, params = {}) => ({ jsonrpc: '2.0', method, params }) as const;
