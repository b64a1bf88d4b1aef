/** The Messages API of Anthropic on loopback, as far as Claude Code needs it: streamed answers of a scripted model. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * A block of content, as far as the drivers read it.
 * @typedef {object} Block
 * @property {string} type
 * @property {string} [id]
 * @property {string} [name]
 * @property {unknown} [input]
 * @property {string} [text]
 * @property {string} [tool_use_id]
 * @property {boolean} [is_error]
 * @property {string | Block[]} [content]
 * @property {{ media_type: string, data: string }} [source]
 */

/**
 * A request, as far as the drivers read it.
 * @typedef {object} MessagesRequest
 * @property {string} model
 * @property {{ role: string, content: string | Block[] }[]} messages
 * @property {{ name: string, description: string, input_schema: object }[]} [tools]
 */

/**
 * Starts the API. `answer` is the model: it gets a request and returns the blocks of the answer.
 * @param {(request: MessagesRequest) => Block[]} answer
 */
export async function startMessagesApi(answer) {
  /** @type {MessagesRequest[]} */
  const requests = [];
  const serve = async (request, response) => {
    if (request.method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(request.url ?? '')) {
      response.writeHead(404).end();
      return;
    }
    const body = await json(request);
    requests.push(body);
    stream(response, body.model, answer(body));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error) =>
      response.writeHead(400).end(JSON.stringify({ error: { message: String(error) } })),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    /** The requests so far. */
    requests,
    /**
     * The environment of Claude Code: this API, nothing of the user, and no other traffic.
     * @param {string} home
     * @returns {Record<string, string | undefined>}
     */
    env: (home) => ({
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: 'the-key-of-a-stand-in',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function stream(response, model, blocks) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage };
  send('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } });
  for (const [index, block] of blocks.entries()) {
    const [start, delta] =
      block.type === 'text'
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ];
    send('content_block_start', { index, content_block: start });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}
