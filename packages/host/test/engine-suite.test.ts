import { describe, expect, it } from 'vitest';
import { FittingsError, type JSONRPCMessage, type Transport } from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import {
  native,
  type Engine,
  type EngineConnectOptions,
  type EngineRequestOptions,
  type EngineSession,
} from '@mcp-fittings/host/engine';
import { engineSuite, type EngineUnderTest } from '@mcp-fittings/testkit/engine';

engineSuite({ describe, it }, { name: 'native', engine: native });

/** A deliberate error of an engine, and the cases that have to find it. */
interface Flaw {
  readonly name: string;
  readonly fails: readonly string[];
  readonly transport?: (transport: Transport) => Transport;
  readonly options?: (options: EngineConnectOptions) => EngineConnectOptions;
  readonly session?: (session: EngineSession) => Partial<EngineSession>;
}

type Request = EngineSession['request'];
const withRequest =
  (change: (options: EngineRequestOptions) => EngineRequestOptions) =>
  (session: EngineSession): Partial<EngineSession> => ({
    request: (method, params, options) => session.request(method, params, change(options)),
  });
const failingWith =
  (failure: (error: unknown) => unknown) =>
  (session: EngineSession): Partial<EngineSession> => ({
    async request(...given: Parameters<Request>) {
      try {
        return await session.request(...given);
      } catch (error) {
        throw failure(error);
      }
    },
  });
const twice = (events: EngineConnectOptions['events']): EngineConnectOptions['events'] => ({
  ...events,
  closed() {
    events.closed();
    events.closed();
  },
});

const FLAWS: readonly Flaw[] = [
  {
    name: 'loses what the server states about itself',
    fails: ['performs the handshake, which states what host and server are'],
    session: () => ({ serverInfo: undefined }),
  },
  {
    name: 'reports another revision than the negotiated one',
    fails: ['performs the handshake, which states what host and server are'],
    session: () => ({ protocolVersion: '2024-11-05' }),
  },
  {
    name: 'calls a failed tool successful',
    fails: ['request() sends the parameters as they are, and returns the result as it is'],
    session: (session) => ({
      request: async (...given) => ({ ...(await session.request(...given)), isError: false }),
    }),
  },
  {
    name: 'states another name of the host',
    fails: ['performs the handshake, which states what host and server are'],
    options: (options) => ({ ...options, client: { name: 'another', version: '1.0.0' } }),
  },
  {
    name: 'always declares roots',
    fails: ['declares no capability without its callback'],
    options: (options) => ({ ...options, callbacks: { ...options.callbacks, roots: async () => [] } }),
  },
  {
    name: 'ignores the callbacks',
    fails: [
      'declares the capabilities whose callback is present',
      'elicitation, sampling and roots requests are answered by the callbacks',
    ],
    options: (options) => ({ ...options, callbacks: {} }),
  },
  {
    name: 'leaves the transport open',
    fails: [
      'closes the transport and rejects if the server refuses the handshake',
      'closes the transport and rejects when its signal is aborted',
      'close() closes the transport, rejects open calls, and is reported once',
    ],
    transport: neverClosing,
  },
  {
    name: 'drops meta',
    fails: ['request() sends the parameters as they are, and returns the result as it is'],
    session: (session) => ({
      request: (method, params, options) => session.request(method, { ...params, _meta: undefined }, options),
    }),
  },
  {
    name: 'drops headers',
    fails: ['request() passes headers to send() of the transport, and adds nothing to the message'],
    session: withRequest((options) => ({ ...options, headers: undefined })),
  },
  {
    name: 'calls every failure harmless',
    fails: [
      'an error response rejects with RPC_ERROR, and delivery says whether the server may have acted',
      'a lost connection rejects open calls with its reason, and is reported once',
    ],
    session: failingWith((cause) =>
      cause instanceof FittingsError
        ? new FittingsError(cause.code, cause.message, {
            cause,
            details: cause.details,
            delivery: 'rejected',
          })
        : cause,
    ),
  },
  {
    name: 'throws errors of its own',
    fails: [
      'an error response rejects with RPC_ERROR, and delivery says whether the server may have acted',
      'a call after the end rejects, and was not sent',
    ],
    session: failingWith((cause) => new Error('failed', { cause })),
  },
  {
    name: 'ignores the signal of a call',
    fails: ['aborting a call rejects it with ABORTED and sends notifications/cancelled'],
    session: withRequest((options) => ({ ...options, signal: undefined })),
  },
  {
    name: 'ignores the timeout of a call',
    fails: ['a call without a response rejects with TIMEOUT, and the session stays usable'],
    session: withRequest((options) => ({ ...options, timeoutMs: 60_000 })),
  },
  {
    name: 'reports no progress',
    fails: ['progress is reported, and restarts the deadline'],
    session: withRequest((options) => ({ ...options, onProgress: undefined })),
  },
  {
    name: 'drops unknown notifications',
    fails: ['notifications become events, unknown ones included'],
    options: (options) => ({ ...options, events: { ...options.events, notification: () => undefined } }),
  },
  {
    name: 'does not answer the server',
    fails: ['a ping of the server is answered, and an unknown request is refused'],
    transport: withoutRequests,
  },
  {
    name: 'reports the end twice',
    fails: [
      'a lost connection rejects open calls with its reason, and is reported once',
      'close() closes the transport, rejects open calls, and is reported once',
    ],
    options: (options) => ({ ...options, events: twice(options.events) }),
  },
];

function broken({ transport: onTransport, options: onOptions, session: onSession }: Flaw): Engine {
  const engine = native();
  return {
    ...engine,
    async connect(transport, options) {
      const session = await engine.connect(
        onTransport?.(transport) ?? transport,
        onOptions?.(options) ?? options,
      );
      return { ...session, ...onSession?.(session) };
    },
  };
}

function neverClosing(transport: Transport): Transport {
  return new Proxy(transport, {
    get(target, name) {
      if (name === 'close') return async () => undefined;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value),
  });
}

/** Delivers everything but the requests of the server. */
function withoutRequests(transport: Transport): Transport {
  return new Proxy(transport, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set(target, name, value) {
      if (name !== 'onmessage' || typeof value !== 'function') return Reflect.set(target, name, value);
      target.onmessage = (message: JSONRPCMessage) => (isRequest(message) ? undefined : value(message));
      return true;
    },
  });
}

function casesOf(engine: () => EngineUnderTest, deadlineMs: number): Map<string, () => Promise<void>> {
  const cases = new Map<string, () => Promise<void>>();
  const runner = {
    describe: (_name: string, define: () => void) => define(),
    it: (name: string, run: () => Promise<void>) => cases.set(name, run),
  };
  engineSuite(runner, { name: 'broken', engine, deadlineMs });
  return cases;
}

describe('a broken engine fails the case that is about its flaw', () => {
  it.each(FLAWS.flatMap((flaw) => flaw.fails.map((title) => ({ ...flaw, title }))))(
    '$name: $title',
    async ({ title, ...flaw }) => {
      const run = casesOf(() => broken(flaw), 400).get(title);
      expect(run).toBeDefined();
      await expect(run?.()).rejects.toThrow();
    },
  );

  it('and every case has such a flaw', () => {
    const found = new Set(FLAWS.flatMap(({ fails }) => fails));
    expect([...casesOf(native, 400).keys()].filter((name) => !found.has(name))).toEqual([]);
  });
});
