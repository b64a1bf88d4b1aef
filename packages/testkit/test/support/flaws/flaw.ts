import type { JSONRPCMessage, TransportSendOptions } from '@mcp-fittings/client-core';
import type { BaseTransportOptions } from '@mcp-fittings/toolbox/base-transport';
import type { TransportCapabilities } from '@mcp-fittings/testkit/transport';
import { ReferenceTransport } from '../reference-transport.js';

/** One way to break a transport, and the cases that have to notice. */
export interface Flaw {
  readonly name: string;
  readonly fails: readonly string[];
  readonly make?: (options: BaseTransportOptions) => ReferenceTransport;
  readonly damage?: (transport: ReferenceTransport) => void;
  readonly capabilities?: TransportCapabilities;
}

type Damage = (transport: ReferenceTransport) => void;
type Send = (message: JSONRPCMessage, options?: TransportSendOptions) => Promise<void>;
type Close = () => Promise<void>;
type Handler = (message: JSONRPCMessage) => void;

export const never = (): Promise<never> => new Promise(() => undefined);
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Puts another `send` in front of the transport's own. */
export function sends(change: (send: Send, transport: ReferenceTransport) => Send): Damage {
  return (transport) => {
    transport.send = change(transport.send.bind(transport), transport);
  };
}

export function closes(change: (close: Close, transport: ReferenceTransport) => Close): Damage {
  return (transport) => {
    transport.close = change(transport.close.bind(transport), transport);
  };
}

export function starts(change: (start: Close, transport: ReferenceTransport) => Close): Damage {
  return (transport) => {
    transport.start = change(transport.start.bind(transport), transport);
  };
}

/** Stands between the transport and the handler of the host. */
export function hands(change: (handler: Handler, transport: ReferenceTransport) => Handler): Damage {
  return (transport) => {
    let handler: ReferenceTransport['onmessage'];
    const changed = change((message) => handler?.(message), transport);
    Object.defineProperty(transport, 'onmessage', {
      configurable: true,
      get: () => changed,
      set: (next: Handler) => {
        handler = next;
      },
    });
  };
}

/** Stands between the peer and the transport. */
export function hears(
  change: (text: string, pass: (text: string) => void, transport: ReferenceTransport) => void,
): (options: BaseTransportOptions) => ReferenceTransport {
  return (options) =>
    new (class extends ReferenceTransport {
      protected override onText(text: string): void {
        change(text, (changed) => super.onText(changed), this);
      }
    })(options);
}

/** The same for texts that are JSON objects. */
export function hearsJson(
  change: (value: Record<string, unknown>, pass: (value: unknown) => void) => void,
): (options: BaseTransportOptions) => ReferenceTransport {
  return hears((text, pass) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      pass(text);
      return;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) pass(text);
    else change({ ...value }, (changed) => pass(JSON.stringify(changed)));
  });
}
