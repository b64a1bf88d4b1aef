import { JSONRPCMessageSchema } from '@modelcontextprotocol/core';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * The messages between `AppBridge` in this process and an app in a browser. The page passes them on without reading them: what
 * `AppBridge` sends goes to the page as server-sent events, and what the app sends comes in POST requests.
 */
export class PageTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  #deliver: ((message: JSONRPCMessage) => void) | undefined;
  /** What was sent before the page was there. */
  readonly #waiting: JSONRPCMessage[] = [];

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#deliver === undefined) this.#waiting.push(message);
    else this.#deliver(message);
  }

  async close(): Promise<void> {
    this.#deliver = undefined;
    this.onclose?.();
  }

  /** Connects the page: `deliver` gets what was sent before, and all that is sent from now on. */
  connectPage(deliver: (message: JSONRPCMessage) => void): void {
    this.#deliver = deliver;
    for (const message of this.#waiting.splice(0)) deliver(message);
  }

  /** Passes on a message of the app. Returns false if it is not a JSON-RPC message. */
  receive(text: string): boolean {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return false;
    }
    const { success, data } = JSONRPCMessageSchema.safeParse(value);
    if (success) this.onmessage?.(data);
    return success;
  }
}
