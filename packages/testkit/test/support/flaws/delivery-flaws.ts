import { FittingsError, type JSONRPCMessage } from '@mcp-fittings/client-core';
import { isNotification, isResponse } from '@mcp-fittings/toolbox/messages';
import { ReferenceTransport } from '../reference-transport.js';
import { hands, hears, hearsJson, sends, turn, type Flaw } from './flaw.js';

export const deliveryFlaws: readonly Flaw[] = [
  {
    name: 'never delivers an answer',
    fails: ['carries a request and its response, and closes'],
    damage: hands((handler) => (message) => {
      if (!isResponse(message)) handler(message);
    }),
  },
  {
    name: 'delivers what comes after close()',
    fails: ['delivers nothing after close() is called, also from within onmessage'],
    make: hears((text, _pass, transport) => transport.onmessage?.(JSON.parse(text))),
  },
  {
    name: 'ends when a handler throws',
    fails: ['survives handlers that throw, and reports them through onerror'],
    damage: hands((handler, transport) => (message) => {
      try {
        handler(message);
      } catch {
        transport.peerDied();
      }
    }),
  },
  {
    name: 'keeps quiet about a handler that throws',
    fails: ['survives handlers that throw, and reports them through onerror'],
    damage: hands((handler) => (message) => {
      try {
        handler(message);
      } catch {
        // broken on purpose
      }
    }),
  },
  {
    name: 'delivers out of order',
    fails: ['keeps the order of messages from the peer, the response last'],
    damage: hands((handler) => {
      let first: JSONRPCMessage | undefined;
      return (message) => {
        if (first === undefined && isNotification(message)) {
          first = message;
          return;
        }
        handler(message);
        if (first !== undefined) handler(first);
        first = undefined;
      };
    }),
  },
  {
    name: 'sends out of order',
    fails: ['keeps the order of sent messages'],
    damage: sends((send) => {
      let calls = 0;
      return async (message, options) => {
        if (calls++ % 2 === 0) await turn();
        await send(message, options);
      };
    }),
  },
  {
    name: 'drops notifications that follow an answer',
    fails: ['delivers messages that belong to no request'],
    damage: hands((handler) => {
      let answered = false;
      return (message) => {
        answered ||= isResponse(message);
        if (!answered || isResponse(message)) handler(message);
      };
    }),
  },
  {
    name: 'delivers progress and answer in one go',
    fails: ['runs progress handlers before the response that arrived with the progress'],
    damage: hands((handler) => {
      const waiting: JSONRPCMessage[] = [];
      return (message) => {
        waiting.push(message);
        if (isResponse(message)) for (const next of waiting.splice(0)) handler(next);
      };
    }),
  },
  {
    name: 'drops requests of the peer',
    fails: ['carries requests of the peer and their responses'],
    make: hearsJson((value, pass) => {
      if (!('method' in value && 'id' in value)) pass(value);
    }),
  },
  {
    name: 'delivers from within send()',
    fails: ['never calls onmessage from within send()'],
    make: () =>
      new (class extends ReferenceTransport {
        override fromPeer(text: string): void {
          this.onText(text);
        }
      })(),
  },
  {
    name: 'keeps the handler that it was started with',
    fails: ['uses the current handlers, not those set before start()'],
    damage: (transport) => {
      let handler: ReferenceTransport['onmessage'];
      Object.defineProperty(transport, 'onmessage', {
        get: () => handler,
        set: (next: ReferenceTransport['onmessage']) => {
          handler ??= next;
        },
      });
    },
  },
  {
    name: 'strips _meta',
    fails: ['does not change params and _meta'],
    damage: sends((send) => (message, options) => {
      if (!('params' in message) || message.params === undefined) return send(message, options);
      const { _meta, ...params } = message.params;
      return send({ ...message, params }, options);
    }),
  },
  {
    name: 'changes a separator in a text',
    fails: ['carries a large message both ways, unchanged'],
    make: hears((text, pass) => pass(text.replaceAll('\u2028', ' '))),
  },
  {
    name: 'takes everything while the peer does not read',
    fails: ['delays send() while the peer does not read, and loses nothing'],
    damage: sends((send) => async (message, options) => {
      const sent = send(message, options);
      if (isNotification(message)) sent.catch(() => undefined);
      else await sent;
    }),
  },
  {
    name: 'loses what it could not send at once',
    fails: ['delays send() while the peer does not read, and loses nothing'],
    make: () =>
      new (class extends ReferenceTransport {
        #lossy = false;
        override pause(): void {
          super.pause();
          this.#lossy = true;
        }
        override resume(): void {
          super.resume();
          this.#lossy = false;
        }
        protected override async write(message: JSONRPCMessage): Promise<void> {
          const copy = this.#lossy ? { ...message, method: 'lost' } : message;
          await super.write(copy);
        }
      })(),
  },
  {
    name: 'takes every error for the end of the world',
    fails: ['rejects a message that JSON cannot represent, with delivery not-sent'],
    damage: sends((send) => async (message, options) => {
      await send(message, options).catch((error: unknown) => {
        throw error instanceof FittingsError ? (error.cause ?? error) : error;
      });
    }),
  },
];
