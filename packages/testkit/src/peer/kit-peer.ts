import {
  isMessage,
  isNotification,
  isRequest,
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCRequest,
  type RequestId,
} from '@mcp-fittings/client-core/transport';
import type { KitRoute, KitWire } from './kit-wire.js';
import { numberParam, patternText, listParam } from './values.js';

/** A small MCP server with methods that provoke what a transport has to cope with. */
export interface KitPeer {
  /** Hand it each JSON value that came from the client. */
  receive(value: unknown): void;
}

interface Call {
  readonly request: JSONRPCRequest;
  readonly params: JSONRPCObject;
  readonly route: KitRoute;
  readonly reply: (result: JSONRPCObject) => void;
}

/** Undefined: the method answers later, or never. */
type Method = (call: Call) => JSONRPCObject | undefined;

const METHOD_NOT_FOUND = -32601;

/**
 * Answers `initialize` and `ping`, refuses `server/discover` as a server of the `initialize` era does, and serves:
 *
 * | method | does |
 * |---|---|
 * | `kit/echo` | answers its params |
 * | `kit/emit` `{ count, token? }` | that many notifications at once (progress when there is a token), then the answer |
 * | `kit/announce` `{ count }` | answers, then sends that many notifications that belong to no request |
 * | `kit/blob` `{ length }` | answers that many characters of a known pattern |
 * | `kit/silent` | never answers |
 * | `kit/hold`, `kit/release` | the first is answered when the second comes |
 * | `kit/ask` `{ params }` | asks the client `kit/question` and answers what it said |
 * | `kit/inject` `{ values }` | sends these JSON values as they are, then the answer |
 * | `kit/garbage` `{ texts }` | puts these texts raw on the wire, then the answer |
 * | `kit/received` | answers the `index` of each `notifications/kit` that came, in order |
 * | `kit/die` | ends the peer; it may come as a notification too |
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
      for (const call of held.splice(0)) call.reply({ echo: call.params });
      return {};
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
