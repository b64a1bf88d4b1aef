import {
  FittingsError,
  type JSONRPCMessage,
  TransportError,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import { ReferenceTransport } from '../reference-transport.js';
import { closes, hears, hearsJson, never, sends, turn, type Flaw } from './flaw.js';

const isCode = (error: unknown, code: string): boolean =>
  error instanceof FittingsError && error.code === code;

/** A transport like those of the SDKs: it delivers every response, whether or not it was requested. */
class Gullible extends ReferenceTransport {
  protected override onText(text: string): void {
    const value = JSON.parse(text);
    if (value?.id !== undefined && value.method === undefined && !this.isPending(value.id)) {
      this.onmessage?.(value);
    }
    super.onText(text);
  }
}

export const requestFlaws: readonly Flaw[] = [
  {
    name: 'settles send() of a request as soon as it is written',
    fails: [
      'resolves send() of a request when its response was delivered, not before',
      'calls onclose on close() before open requests are rejected',
      'rejects open requests at once when the peer dies',
    ],
    damage: sends((send) => async (message, options) => {
      send(message, options).catch(() => undefined);
    }),
  },
  {
    name: 'turns error responses into results',
    fails: ['delivers an error response like a result: send() resolves'],
    make: hearsJson((value, pass) =>
      pass('error' in value ? { jsonrpc: '2.0', id: value['id'], result: {} } : value),
    ),
  },
  {
    name: 'gives every request the first answer',
    fails: ['answers a hundred requests at once, each with its own result'],
    make: (options) => {
      let first: unknown;
      return hearsJson((value, pass) => {
        first ??= value['result'];
        pass({ ...value, result: first });
      })(options);
    },
  },
  {
    name: 'takes "1" for 1',
    fails: ['distinguishes the ids 1 and "1"'],
    make: hearsJson((value, pass) => {
      const { id } = value;
      pass(typeof id === 'string' && /^\d+$/.test(id) ? { ...value, id: Number(id) } : value);
    }),
  },
  {
    name: 'takes an id twice',
    fails: ['rejects an id that is in flight, and delivers the response to the first request'],
    damage: sends((send) => async (message, options) => {
      await send(message, options).catch((error: unknown) => {
        if (!isCode(error, 'REQUEST_ID_IN_USE')) throw error;
      });
    }),
  },
  {
    name: 'does not look at requestSignal',
    fails: [
      'rejects with ABORTED when requestSignal is aborted, and stays open',
      'sends nothing if requestSignal is aborted already, and ignores a late abort',
    ],
    damage: sends((send) => (message) => send(message)),
  },
  {
    name: 'says of every aborted request that it was not sent',
    fails: [
      'rejects with ABORTED when requestSignal is aborted, and stays open',
      'sends no request whose abort it reports as not-sent',
      'sends no request whose abort it reports as not-sent, while the peer does not read',
    ],
    damage: sends((send) => async (message, { requestSignal } = {}) => {
      const aborted = new Promise<never>((_, reject) => {
        requestSignal?.addEventListener('abort', () =>
          reject(new TransportError('ABORTED', 'broken on purpose', { delivery: 'not-sent' })),
        );
      });
      await Promise.race([send(message), aborted]);
    }),
  },
  {
    name: 'goes on waiting for a cancelled request',
    fails: ['settles the waiting send() when the request is canceled by a notification'],
    damage: sends((send) => async (message, options) => {
      if (!('method' in message) || message.method !== 'notifications/cancelled')
        await send(message, options);
    }),
  },
  {
    name: 'keeps quiet about what it could not clone',
    fails: [
      'carries what JSON cannot represent, or rejects it with MESSAGE_UNSERIALIZABLE and delivery not-sent',
    ],
    capabilities: { serializes: false },
    damage: sends(
      (send) => (message, options) =>
        send(message, options).catch((error: unknown) => {
          if (!isCode(error, 'MESSAGE_UNSERIALIZABLE')) throw error;
          if ('id' in message) return never();
        }),
    ),
  },
  {
    name: 'says that it sent a notification which it could not clone',
    fails: [
      'carries what JSON cannot represent, or rejects it with MESSAGE_UNSERIALIZABLE and delivery not-sent',
    ],
    capabilities: { serializes: false },
    damage: sends(
      (send) => (message, options) =>
        send(message, options).catch((error: unknown) => {
          if ('id' in message || !isCode(error, 'MESSAGE_UNSERIALIZABLE')) throw error;
        }),
    ),
  },
  {
    name: 'has no use for headers',
    fails: ['ignores send options that do not apply to its wire'],
    damage: sends((send) => async (message, options) => {
      if (options?.headers !== undefined) throw new Error('no headers here');
      await send(message, options);
    }),
  },
  {
    name: 'calls onclose after the requests have failed',
    fails: [
      'calls onclose on close() before open requests are rejected',
      'calls onclose within a close() that follows a request lost to a dying peer',
    ],
    damage: closes((close, transport) => async () => {
      const { onclose } = transport;
      delete transport.onclose;
      await close();
      await turn();
      onclose?.();
    }),
  },
  {
    name: 'fails in promise jobs alone while it is dead',
    fails: ['notices its end while a caller retries without a pause'],
    make: () =>
      new (class extends ReferenceTransport {
        #dead = false;
        override peerDied(): void {
          this.#dead = true;
          // The requests under way fail, and what ends the connection comes in turns of the event loop.
          for (let id = 1; id < 10; id++) {
            this.failRequest(id, this.error('CONNECTION_LOST', 'broken on purpose', { delivery: 'unknown' }));
          }
          setImmediate(() => super.peerDied());
        }
        override send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
          if (!this.#dead) return super.send(message, options);
          return Promise.reject(this.error('CONNECTION_LOST', 'broken on purpose', { delivery: 'not-sent' }));
        }
      })(),
  },
  {
    name: 'forgets open requests when it is closed',
    fails: [
      'calls onclose on close() before open requests are rejected',
      'can be closed while the peer dies',
    ],
    damage: sends(
      (send) => (message, options) =>
        send(message, options).catch((error: unknown) => {
          if (error instanceof FittingsError && error.delivery === 'unknown') return never();
          throw error;
        }),
    ),
  },
  {
    name: 'does not notice that the peer died',
    fails: [
      'rejects open requests at once when the peer dies',
      'calls onclose once when the peer dies, with closeReason set before',
    ],
    make: () =>
      new (class extends ReferenceTransport {
        override peerDied(): void {
          // broken on purpose
        }
      })(),
  },
  {
    name: 'claims that a dead peer rejected the request',
    fails: ['rejects open requests at once when the peer dies'],
    damage: sends(
      (send) => (message, options) =>
        send(message, options).catch(() => {
          throw new TransportError('CONNECTION_LOST', 'broken on purpose', { delivery: 'rejected' });
        }),
    ),
  },
  {
    name: 'knows the closeReason only after onclose',
    fails: ['calls onclose once when the peer dies, with closeReason set before'],
    damage: (transport) => {
      let told = false;
      Object.defineProperty(transport, 'closeReason', {
        get: () => {
          if (told) return new TransportError('CONNECTION_LOST', 'broken on purpose');
          told = true;
          return undefined;
        },
      });
    },
  },
  {
    name: 'delivers unexpected responses',
    fails: ['drops responses with unknown ids, and delivers a repeated response once'],
    make: () => new Gullible(),
  },
  {
    name: 'ends at JSON that is not an object',
    fails: ['survives JSON that is not a message, and delivers none of it'],
    make: hears((text, pass, transport) => {
      if (text.startsWith('{') || !/^(null|true|\d+|"|\[)/.test(text)) pass(text);
      else transport.peerDied();
    }),
  },
  {
    name: 'takes the result of an answer that is an error as well',
    fails: ['fails only the request whose response has both a result and an error'],
    make: hearsJson(({ error, ...value }, pass) => pass('result' in value ? value : { ...value, error })),
  },
  {
    name: 'ends at text that is not JSON',
    fails: ['survives input that is not JSON'],
    make: hears((text, pass, transport) => {
      if (text.endsWith('}') || text.endsWith(']')) pass(text);
      else transport.peerDied();
    }),
  },
  {
    name: 'ends when it is probed for the newer era',
    fails: ['answers server/discover in band, or fails it in a way that SDK v2 understands'],
    damage: sends((send, transport) => (message, options) => {
      const sent = send(message, options);
      if ('method' in message && message.method === 'server/discover') transport.peerDied();
      return sent;
    }),
  },
  {
    name: 'loses batches',
    fails: ['accepts a batch in revision 2025-03-26, the only one with batches'],
    make: hears((text, pass) => {
      if (!text.startsWith('[')) pass(text);
    }),
  },
  {
    name: 'takes batches in every revision',
    fails: ['accepts a batch in revision 2025-03-26, the only one with batches'],
    make: hears((text, pass) => {
      const value: unknown = JSON.parse(text);
      if (Array.isArray(value)) for (const element of value) pass(JSON.stringify(element));
      else pass(text);
    }),
  },
];
