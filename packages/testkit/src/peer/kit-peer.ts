import type { JSONRPCMessage, JSONRPCObject, JSONRPCRequest, RequestId } from '@mcp-fittings/client-core';
import { isMessage, isNotification, isRequest } from '@mcp-fittings/toolbox/messages';
import type { KitRoute, KitWire } from './kit-wire.js';
import { numberParam, patternText, listParam } from './values.js';

/** A small MCP server whose methods provoke what a transport has to handle, see {@link createKitPeer}. */
export interface KitPeer {
  /** Call it with each JSON value that arrives from the client. */
  receive(value: unknown): void;
}

interface Call {
  readonly request: JSONRPCRequest;
  readonly params: JSONRPCObject;
  readonly route: KitRoute;
  readonly reply: (result: JSONRPCObject) => void;
}

/** Returns the result, or undefined if the method answers later or never. */
type Method = (call: Call) => JSONRPCObject | undefined;

const METHOD_NOT_FOUND = -32601;

/**
 * Creates the MCP server that the contract suite talks to. It answers `initialize` and `ping`, does not know `server/discover`,
 * like a server of the `initialize` era, and has these methods:
 *
 * | Method | Effect |
 * |---|---|
 * | `kit/echo` | answers with its params |
 * | `kit/emit` `{ count, token? }` | sends that many notifications at once (progress if there is a token), then answers |
 * | `kit/announce` `{ count }` | answers, then sends that many notifications that belong to no request |
 * | `kit/blob` `{ length }` | answers with that many characters of a known pattern |
 * | `kit/silent` | never answers |
 * | `kit/hold`, `kit/release` | the first is answered when the second arrives, which is answered with how many it has `released` |
 * | `kit/ask` `{ params }` | sends the request `kit/question` to the client, and answers with its response |
 * | `kit/inject` `{ values }` | sends these JSON values unchanged, then answers |
 * | `kit/garbage` `{ texts }` | writes these texts to the wire, then answers |
 * | `kit/received` | answers with the `index` of each `notifications/kit` that arrived, in order |
 * | `kit/die` | ends the peer; may be a notification too |
 *
 * @example
 * ```ts
 * const peer = createKitPeer({ send: (value) => void process.stdout.write(`${JSON.stringify(value)}\n`) });
 * createInterface({ input: process.stdin }).on('line', (line) => peer.receive(JSON.parse(line)));
 * ```
 */
export function createKitPeer(wire: KitWire): KitPeer {
  const received: unknown[] = [];
  const held: Call[] = [];
  const asked = new Map<RequestId, Call>();
  let questions = 0;

  const notify = (index: number, route: KitRoute): void =>
    wire.send({ jsonrpc: '2.0', method: 'notifications/kit', params: { index } }, route);

  const methods: Readonly<Record<string, Method>> = {
    initialize: ({ params }) => ({
      protocolVersion: params['protocolVersion'],
      capabilities: {},
      serverInfo: { name: 'kit-peer', version: '1.0.0' },
    }),
    ping: () => ({}),
    'kit/echo': ({ params }) => ({ echo: params }),
    'kit/emit': ({ params, route }) => {
      const token = params['token'];
      for (let index = 0; index < numberParam(params, 'count'); index++) {
        if (token === undefined) notify(index, route);
        else {
          const progress = { progressToken: token, progress: index + 1 };
          wire.send({ jsonrpc: '2.0', method: 'notifications/progress', params: progress }, route);
        }
      }
      return {};
    },
    'kit/announce': ({ params, reply }) => {
      reply({});
      for (let index = 0; index < numberParam(params, 'count'); index++) notify(index, {});
      return undefined;
    },
    'kit/blob': ({ params }) => ({ text: patternText(numberParam(params, 'length')) }),
    'kit/silent': () => undefined,
    'kit/hold': (call) => {
      held.push(call);
      return undefined;
    },
    'kit/release': () => {
      const released = held.splice(0);
      for (const call of released) call.reply({ echo: call.params });
      return { released: released.length };
    },
    'kit/ask': (call) => {
      const id = `kit-ask-${++questions}`;
      asked.set(id, call);
      wire.send({ jsonrpc: '2.0', id, method: 'kit/question', params: call.params }, call.route);
      return undefined;
    },
    'kit/inject': ({ params, route }) => {
      for (const value of listParam(params, 'values')) wire.send(value, route);
      return {};
    },
    'kit/garbage': ({ params }) => {
      for (const text of listParam(params, 'texts')) wire.sendRaw?.(String(text));
      return {};
    },
    'kit/received': () => ({ indices: [...received] }),
    'kit/die': () => {
      wire.die?.();
      return undefined;
    },
  };

  const answer = (request: JSONRPCRequest): void => {
    const { id } = request;
    const route: KitRoute = { relatedRequestId: id };
    const reply = (result: JSONRPCObject): void => wire.send({ jsonrpc: '2.0', id, result }, route);
    const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
    if (method === undefined) {
      const error = { code: METHOD_NOT_FOUND, message: 'Method not found' };
      wire.send({ jsonrpc: '2.0', id, error }, route);
      return;
    }
    const result = method({ request, params: request.params ?? {}, route, reply });
    if (result !== undefined) reply(result);
  };

  const settleQuestion = (message: JSONRPCMessage): void => {
    if (!('id' in message) || message.id === undefined) return;
    const call = asked.get(message.id);
    asked.delete(message.id);
    if ('result' in message) call?.reply({ answer: message.result });
    else if ('error' in message) call?.reply({ refusal: message.error });
  };

  return {
    receive(value) {
      if (!isMessage(value)) return;
      if (isRequest(value)) answer(value);
      else if (!isNotification(value)) settleQuestion(value);
      else if (value.method === 'notifications/kit') received.push(value.params?.['index']);
      else if (value.method === 'kit/die') wire.die?.();
    },
  };
}
