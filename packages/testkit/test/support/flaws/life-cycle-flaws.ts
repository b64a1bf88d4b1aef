import { FittingsError, TransportError } from '@mcp-fittings/client-core';
import { closes, never, sends, starts, turn, type Flaw } from './flaw.js';

const isCode = (error: unknown, code: string): boolean =>
  error instanceof FittingsError && error.code === code;

export const lifeCycleFlaws: readonly Flaw[] = [
  {
    name: 'takes messages before start() and loses them',
    fails: ['rejects send() before start() with TRANSPORT_NOT_STARTED and delivery not-sent'],
    damage: sends((send) => async (message, options) => {
      await send(message, options).catch((error: unknown) => {
        if (!isCode(error, 'TRANSPORT_NOT_STARTED')) throw error;
      });
    }),
  },
  {
    name: 'starts twice',
    fails: ['starts once: a second start() rejects and changes nothing'],
    damage: starts((start) => () => start().catch(() => undefined)),
  },
  {
    name: 'says nothing when it sends after close()',
    fails: ['rejects send() after close() with delivery not-sent', 'is closed when it is disposed of'],
    damage: sends((send) => async (message, options) => {
      await send(message, options).catch((error: unknown) => {
        if (!isCode(error, 'TRANSPORT_CLOSED')) throw error;
      });
    }),
  },
  {
    name: 'calls onclose at every close()',
    fails: [
      'calls onclose once for any number of close() calls, without a closeReason',
      'calls onclose once when its handler calls close()',
      'closes before start() without onclose, and cannot be started after it',
      'can be closed while the peer dies',
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
    fails: ['calls onclose once for any number of close() calls, without a closeReason'],
    damage: (transport) =>
      Object.defineProperty(transport, 'closeReason', {
        get: () => new TransportError('CONNECTION_LOST', 'broken on purpose'),
      }),
  },
  {
    name: 'starts after close()',
    fails: ['closes before start() without onclose, and cannot be started after it'],
    damage: starts((start) => () => start().catch(() => undefined)),
  },
  {
    name: 'waits for ever when it is closed during start()',
    fails: ['closes during start(): both settle, and nothing stays open'],
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
    fails: ['is closed when it is disposed of'],
    damage: (transport) => {
      transport[Symbol.asyncDispose] = () => Promise.resolve();
    },
  },
  {
    name: 'needs an onclose handler',
    fails: ['works without handlers'],
    damage: closes((close, transport) => async () => {
      await close();
      if (transport.onclose === undefined) throw new TypeError('onclose is not a function');
    }),
  },
  {
    name: 'throws an untyped error when the peer does not exist',
    fails: ['fails in start() or in the first send() with a typed error, and can be closed'],
    damage: starts((start) => () => start().catch(() => Promise.reject(new Error('no peer')))),
  },
  {
    name: 'leaves a timer behind',
    fails: ['leaves no handle open, also with a request in flight'],
    damage: starts((start) => async () => {
      await start();
      setTimeout(() => undefined, 1500);
    }),
  },
  {
    name: 'opens what is never closed when it is closed during start()',
    fails: [
      'leaves no handle open when it is closed during start(), at once',
      'leaves no handle open when it is closed during start(), a promise job later',
      'leaves no handle open when it is closed during start(), a turn later',
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
    fails: ['delivers no message to a second client whose start() rejects'],
    damage: starts((start, transport) => () => {
      const { onmessage, onerror, onclose } = transport;
      const started = start();
      Object.assign(transport, { onmessage, onerror, onclose });
      return started;
    }),
  },
  {
    name: 'has a start() that cannot be replaced',
    fails: ['lets SDK v2 replace start() after calling it, and close() temporarily'],
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
    fails: ['has the session id of the server after initialize'],
    capabilities: { handshake: true, sessionId: true },
  },
  {
    name: 'refuses a second protocol version',
    fails: ['accepts the negotiated version at any time'],
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
    fails: ['declares whether each request has a stream of its own'],
    damage: (transport) => Object.defineProperty(transport, 'hasPerRequestStream', { value: true }),
  },
];
