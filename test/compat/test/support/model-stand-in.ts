import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { anthropic } from './model-wires/anthropic.js';
import { gemini } from './model-wires/gemini.js';
import type { ModelCall, ModelRequest, ModelWire } from './model-wires/model-wire.js';
import { openAiChat } from './model-wires/openai-chat.js';
import { openAiResponses } from './model-wires/openai-responses.js';

const KEY = 'the-key-of-a-stand-in';
const SETTINGS_OF_MODELS = /^(OPENAI|ANTHROPIC|CLAUDE|GEMINI|GOOGLE)_/;

/** All APIs of models that the documentation has, on loopback. */
export interface ModelStandIn extends AsyncDisposable {
  /** The environment of a program that talks to it: what the vendors document, and nothing else of theirs. */
  readonly env: NodeJS.ProcessEnv;
  /** Requests that were accepted, in their order. */
  readonly requests: readonly ModelRequest[];
  /** What was refused and why. */
  readonly refusals: readonly string[];
}

/** Answers the first request with the calls at once, a request with their results with the text of the first result. */
export async function startModelStandIn(calls: readonly ModelCall[]): Promise<ModelStandIn> {
  const wires = [openAiResponses(), openAiChat(), anthropic(), gemini()];
  const requests: ModelRequest[] = [];
  const refusals: string[] = [];

  const answer = async (wire: ModelWire, request: IncomingMessage): Promise<object> => {
    if (wire.keyOf(request.headers) !== KEY) throw new Error('The request has no valid key.');
    const read = wire.read(await json(request));
    const missing = calls.find(({ name }) => !read.tools.includes(name));
    if (missing !== undefined) throw new Error(`The request does not offer ${missing.name}.`);
    requests.push(read);
    return read.results.length === 0 ? wire.call(calls) : wire.say(`The tool said: ${read.results[0]?.text}`);
  };
  const server = createServer((request, response) => {
    const wire = wires.find(({ path }) => request.method === 'POST' && path.test(request.url ?? ''));
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (wire === undefined) {
      refusals.push(`${request.method} ${request.url}`);
      send(404, { error: { message: 'not found' } });
      return;
    }
    answer(wire, request).then(
      (body) => send(200, body),
      (error: unknown) => {
        refusals.push(String(error));
        send(400, wire.refuse(String(error)));
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const others = Object.entries(process.env).filter(([name]) => !SETTINGS_OF_MODELS.test(name));
  return {
    env: {
      ...Object.fromEntries(others),
      OPENAI_BASE_URL: `${origin}/v1`,
      OPENAI_API_KEY: KEY,
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: origin,
      GEMINI_API_KEY: KEY,
    },
    requests,
    refusals,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
