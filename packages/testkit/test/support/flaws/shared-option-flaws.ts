import { TransportError } from '@mcp-fittings/client-core';
import { ReferenceTransport } from '../reference-transport.js';
import { closes, sends, starts, turn, type Flaw } from './flaw.js';

const BEFORE = 'rejects start() with ABORTED if its signal is aborted already, and sets closeReason';
const MEANWHILE = 'rejects start() with ABORTED when its signal is aborted meanwhile, and sets closeReason';
const AFTER =
  'closes when its signal is aborted: it calls onclose first, then open requests fail with ABORTED';

export const sharedOptionFlaws: readonly Flaw[] = [
  {
    name: 'ignores its signal',
    fails: [BEFORE, MEANWHILE, AFTER],
    make: ({ server }) => new ReferenceTransport({ server }),
  },
  {
    name: 'treats an abort as any other close()',
    fails: [BEFORE, MEANWHILE, AFTER],
    make({ server, signal }) {
      const transport = new ReferenceTransport({ server });
      signal?.addEventListener('abort', () => void transport.close());
      return transport;
    },
  },
  {
    name: 'keeps the reason of an abort to itself',
    fails: [BEFORE, MEANWHILE, AFTER],
    damage: (transport) => Object.defineProperty(transport, 'closeReason', { value: undefined }),
  },
  {
    name: 'says TRANSPORT_CLOSED where it was aborted',
    fails: [BEFORE, MEANWHILE],
    damage: starts((start) => async () => {
      await start().catch(() => {
        throw new TransportError('TRANSPORT_CLOSED', 'broken on purpose');
      });
    }),
  },
  {
    name: 'calls onclose a turn after it has ended',
    fails: [AFTER],
    damage(transport) {
      let handler: ReferenceTransport['onclose'];
      Object.defineProperty(transport, 'onclose', {
        get: () => () => void setImmediate(() => handler?.()),
        set: (next: typeof handler) => {
          handler = next;
        },
      });
      closes((close) => async () => {
        await close();
        await turn();
      })(transport);
    },
  },
  {
    name: 'does not know the name of its server',
    fails: ['names the server in every error'],
    make: ({ signal }) => new ReferenceTransport({ signal }),
  },
  {
    name: 'takes every request for sent',
    fails: ['distinguishes requests that were not sent yet from those that were'],
    make: (options) =>
      new (class extends ReferenceTransport {
        override markUnsent(): void {}
      })(options),
  },
  {
    name: 'takes every request for unsent',
    fails: [
      'distinguishes requests that were not sent yet from those that were',
      'rejects open requests at once when the peer dies',
    ],
    damage: sends((send) => async (message, options) => {
      await send(message, options).catch((cause: unknown) => {
        throw new TransportError('TRANSPORT_CLOSED', 'broken on purpose', { cause, delivery: 'not-sent' });
      });
    }),
  },
];
