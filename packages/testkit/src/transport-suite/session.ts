import assert from 'node:assert/strict';
import type {
  JSONRPCMessage,
  JSONRPCObject,
  JSONRPCRequest,
  RequestId,
  Transport,
  TransportError,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { isRequest, isResponse } from '@mcp-fittings/toolbox/messages';
import type { Capabilities } from './capabilities.js';
import { createDeadline, type Deadline, outcomeOf, type Outcome } from './deadline.js';
import type { CaseGroup } from './define-cases.js';
import type { TransportFixture } from './options.js';

/** A request that was sent; `outcome` is how its `send()` settled. */
export interface Sent {
  readonly id: RequestId;
  readonly outcome: Promise<Outcome>;
}

/** A minimal client that records everything that the transport reports. Its transport is not started. */
export interface Session extends Deadline {
  readonly transport: Transport;
  readonly fixture: TransportFixture;
  readonly capabilities: Capabilities;
  /** Name of the server that the transport was made with. */
  readonly server: string;
  /** Aborts the signal that the transport was made with. */
  abort(reason: Error): void;
  /** Milliseconds that any one step may take. */
  readonly deadlineMs: number;
  /** Milliseconds after which a test run that a leak keeps alive is ended; 0 means never. */
  readonly hangMs: number;
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  /** `closeReason` as it was at each call of `onclose`. */
  readonly closes: (TransportError | undefined)[];
  /** Runs on each message, after it was recorded. */
  onMessage: (message: JSONRPCMessage) => void;
  /** Runs on each `onclose`, after it was recorded. */
  onClose: () => void;
  /** Starts the transport, and does the handshake if the wire needs one. */
  open(): Promise<void>;
  /** Sends a request whose response may never arrive. */
  begin(method: string, params?: JSONRPCObject, options?: BeginOptions): Sent;
  /** Sends a request and resolves with its result. */
  request(method: string, params?: JSONRPCObject, options?: BeginOptions): Promise<JSONRPCObject>;
  notify(method: string, params?: JSONRPCObject): Promise<void>;
  /** Asserts that the connection still carries a request and its response. */
  assertAlive(): Promise<void>;
  /** Resolves when `condition` holds, which is checked after each event of the transport. */
  until(condition: () => boolean, what: string): Promise<void>;
  closed(what: string): Promise<void>;
  killPeer(): Promise<void>;
  responsesTo(id: RequestId): JSONRPCMessage[];
}

export type TransportCaseGroup = CaseGroup<Session, Capabilities>;

export interface BeginOptions extends TransportSendOptions {
  readonly id?: RequestId | undefined;
}

const PROTOCOL_VERSION = '2025-11-25';

export function createSession(
  fixture: TransportFixture,
  capabilities: Capabilities,
  limits: Pick<Session, 'server' | 'abort' | 'deadlineMs' | 'hangMs'>,
): Session {
  const { transport } = fixture;
  const deadline = createDeadline(limits.deadlineMs);
  const watchers = new Set<() => void>();
  let lastId = 0;

  const happened = (): void => {
    for (const watcher of watchers) watcher();
  };

  const answerQuestion = (request: JSONRPCRequest): void => {
    const result = { answered: request.params ?? {} };
    const sent = transport.send({ jsonrpc: '2.0', id: request.id, result }, { relatedRequestId: request.id });
    void outcomeOf(sent);
  };

  const session: Session = {
    ...deadline,
    ...limits,
    transport,
    fixture,
    capabilities,
    messages: [],
    errors: [],
    closes: [],
    onMessage: () => undefined,
    onClose: () => undefined,

    async open() {
      await session.within(transport.start(), 'start() settles');
      if (!capabilities.handshake) return;
      const params = {
        protocolVersion: PROTOCOL_VERSION,
        capabilities: {},
        clientInfo: { name: 'kit', version: '1.0.0' },
      };
      await session.request('initialize', params);
      transport.setProtocolVersion?.(PROTOCOL_VERSION);
      await session.notify('notifications/initialized');
    },

    begin(method, params = {}, { id = ++lastId, ...options } = {}) {
      return { id, outcome: outcomeOf(transport.send({ jsonrpc: '2.0', id, method, params }, options)) };
    },

    async request(method, params, options) {
      const { id, outcome } = session.begin(method, params, options);
      let end: Outcome | undefined;
      void outcome.then((settled) => {
        end = settled;
        happened();
        return settled;
      });
      const done = (): boolean => end?.ok === false || session.responsesTo(id).length > 0;
      await session.until(done, `${method} is answered`);
      const response = session.responsesTo(id)[0];
      if (response === undefined) return failed(end);
      assert.ok('result' in response, `${method} is answered with a result: ${JSON.stringify(response)}`);
      return response.result;
    },

    notify: (method, params = {}) =>
      session.within(transport.send({ jsonrpc: '2.0', method, params }), `send() of ${method} settles`),

    async assertAlive() {
      const params = { alive: ++lastId };
      assert.deepEqual(
        await session.request('kit/echo', params),
        { echo: params },
        'the connection lives on',
      );
    },

    until(condition, what) {
      let watcher: (() => void) | undefined;
      const met = new Promise<void>((resolve) => {
        watcher = () => {
          if (condition()) resolve();
        };
        watchers.add(watcher);
        watcher();
      });
      return session.within(met, what).finally(() => {
        if (watcher !== undefined) watchers.delete(watcher);
      });
    },

    closed: (what) => session.until(() => session.closes.length > 0, what),

    async killPeer() {
      if (fixture.killPeer !== undefined) await fixture.killPeer();
      else await outcomeOf(session.notify('kit/die'));
    },

    responsesTo: (id) =>
      session.messages.filter((message) => isResponse(message) && 'id' in message && message.id === id),
  };

  transport.onmessage = (message) => {
    session.messages.push(message);
    if (isRequest(message)) answerQuestion(message);
    try {
      session.onMessage(message);
    } finally {
      happened();
    }
  };
  transport.onerror = (error) => {
    session.errors.push(error);
    happened();
  };
  transport.onclose = () => {
    session.closes.push(transport.closeReason);
    try {
      session.onClose();
    } finally {
      happened();
    }
  };
  return session;
}

function failed(end: Outcome | undefined): never {
  throw end?.ok === false ? end.error : new Error('The request has no answer and did not fail.');
}
