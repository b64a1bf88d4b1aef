import { FittingsError, TransportError } from '@mcp-fittings/client-core';
import { closes, never, sends, starts, turn, type Flaw } from './flaw.js';

const isCode = (error: unknown, code: string): boolean =>
  error instanceof FittingsError && error.code === code;

export const lifeCycleFlaws: readonly Flaw[] = [
  {
    name: 'takes messages before start() and loses them',
    fails: ['refuses to send before start() with TRANSPORT_NOT_STARTED, not-sent'],
    damage: sends((send) => async (message, options) => {
      await send(message, options).catch((error: unknown) => {
        if (!isCode(error, 'TRANSPORT_NOT_STARTED')) throw error;
      });
    }),
  },
  {
    name: 'starts twice',
    fails: ['starts once: a second start() rejects and harms nothing'],
    damage: starts((start) => () => start().catch(() => undefined)),
  },
  {
    name: 'says nothing when it sends after close()',
    fails: ['refuses to send after close(), not-sent', 'is an AsyncDisposable: disposing closes it'],
    damage: sends((send) => async (message, options) => {
      await send(message, options).catch((error: unknown) => {
        if (!isCode(error, 'TRANSPORT_CLOSED')) throw error;
      });
    }),
  },
  {
    name: 'calls onclose at every close()',
    fails: [
      'calls onclose once however often it is closed, without a closeReason',
      'calls onclose once when its handler closes again',
      'closes before start() without onclose, and never starts after it',
      'can be closed at the moment when the peer dies',
    ],
    damage: closes((close, transport) => {
      let calls = 0;
      return async () => {
        await close();
        if (calls++ < 5) transport.onclose?.();
      };
    }),
  },
  {
    name: 'names a reason for our own close()',
    fails: ['calls onclose once however often it is closed, without a closeReason'],
    damage: (transport) =>
      Object.defineProperty(transport, 'closeReason', {
        get: () => new TransportError('CONNECTION_LOST', 'broken on purpose'),
      }),
  },
  {
    name: 'starts after close()',
    fails: ['closes before start() without onclose, and never starts after it'],
    damage: starts((start) => () => start().catch(() => undefined)),
  },
  {
    name: 'waits for ever when it is closed during start()',
    fails: ['closes during start(): both settle and nothing is left open'],
    damage: (transport) => {
      let starting = false;
      starts((start) => async () => {
        starting = true;
        await start();
        starting = false;
      })(transport);
      closes((close) => () => (starting ? never() : close()))(transport);
    },
  },
  {
    name: 'is not closed by disposal',
    fails: ['is an AsyncDisposable: disposing closes it'],
    damage: (transport) => {
      transport[Symbol.asyncDispose] = () => Promise.resolve();
    },
  },
  {
    name: 'needs an onclose handler',
    fails: ['works without any handler'],
    damage: closes((close, transport) => async () => {
      await close();
      if (transport.onclose === undefined) throw new TypeError('onclose is not a function');
    }),
  },
  {
    name: 'throws an untyped error when the peer does not exist',
    fails: ['fails in start(), or in the first send, with a typed error, and can be closed'],
    damage: starts((start) => () => start().catch(() => Promise.reject(new Error('nobody there')))),
  },
  {
    name: 'leaves a timer behind',
    fails: ['leaves no handle behind, also with a request in flight'],
    damage: starts((start) => async () => {
      await start();
      setTimeout(() => undefined, 1500);
    }),
  },
  {
    name: 'opens what nobody closes any more when it is closed during start()',
    fails: [
      'leaves no handle behind when it is closed during start(), at once',
      'leaves no handle behind when it is closed during start(), a promise job later',
      'leaves no handle behind when it is closed during start(), a turn later',
    ],
    damage: starts((start) => async () => {
      const started = start();
      started.catch(() => undefined);
      await turn();
      // Longer than all three cases take, so that each sees more; several, because the runner's own come and go.
      for (let count = 0; count < 5; count++) setTimeout(() => undefined, 10_000);
      await started;
    }),
  },
  {
    name: 'stays wired to a client whose start() it refused',
    fails: ['a second client whose start() is refused gets none of the messages'],
    damage: starts((start, transport) => () => {
      const { onmessage, onerror, onclose } = transport;
      const started = start();
      Object.assign(transport, { onmessage, onerror, onclose });
      return started;
    }),
  },
  {
    name: 'has a start() that can not be replaced',
    fails: ['lets SDK v2 replace start() after it has called it, and close() for a while'],
    damage: (transport) =>
      Object.defineProperty(transport, 'start', { value: transport.start.bind(transport), writable: false }),
  },
  {
    name: 'has a sessionId from the beginning',
    fails: ['has no sessionId before it is connected'],
    damage: (transport) => Object.defineProperty(transport, 'sessionId', { value: 'made up' }),
  },
  {
    name: 'never learns the sessionId that it declares',
    fails: ['has the sessionId of the server after initialize'],
    capabilities: { handshake: true, sessionId: true },
  },
  {
    name: 'refuses a second protocol version',
    fails: ['takes the negotiated version at any time'],
    damage: (transport) => {
      let told = false;
      transport.setProtocolVersion = () => {
        if (told) throw new Error('told before');
        told = true;
      };
    },
  },
  {
    name: 'claims a stream for each request',
    fails: ['says whether each request has a stream of its own'],
    damage: (transport) => Object.defineProperty(transport, 'hasPerRequestStream', { value: true }),
  },
];
