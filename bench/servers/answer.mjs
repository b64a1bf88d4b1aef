/** What every server of the benchmark says, whatever the wire: next to no work, so that the client's is what is seen. */

const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
const TOOLS = [{ name: 'echo', inputSchema }];
const results = new Map();

/** How the call of a contender looks on every wire, whatever comes before and after it. */
const ECHO = '"name":"echo","arguments":{"text":"';
const ID = '"id":';

/** Answers one message; `write` gets each message of ours as JSON text. The call that is made most often is not parsed. */
export function answerText(text, write) {
  const at = text.indexOf(ECHO);
  const id = at === -1 ? NaN : Number.parseInt(text.slice(text.indexOf(ID) + ID.length), 10);
  if (Number.isNaN(id)) return answer(JSON.parse(text), write);
  const start = at + ECHO.length;
  const result = remembered(text.slice(start, text.indexOf('"', start)), String);
  return write(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
}

/** Answers so many calls to no one, so that V8 has compiled what answers the first one that counts. */
export function warmUp(calls) {
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${ECHO}warm"}}}`;
  for (let call = 0; call < calls; call++) answerText(text, () => undefined);
}

/** Answers one parsed message; `write` gets each message of ours as JSON text. With `tools`, it lists so many. */
export function answer({ id, method, params }, write, tools = 1) {
  if (id === undefined) return;
  const reply = (result) => write(`{"jsonrpc":"2.0","id":${idText(id)},"result":${result}}`);
  switch (method) {
    case 'initialize':
      return reply(
        JSON.stringify({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'neutral', version: '1.0.0' },
        }),
      );
    case 'tools/list':
      return reply(JSON.stringify({ tools: tools === 1 ? TOOLS : manyTools(tools) }));
    case 'tools/call':
      return reply(call(params, write));
    default:
      return write(
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }),
      );
  }
}

/** `echo`, `large` and others that no one calls. */
function manyTools(count) {
  const names = ['echo', 'large', ...Array.from({ length: count }, (_, at) => `tool_${at}`)];
  return names.slice(0, Math.max(count, 2)).map((name) => ({ name, inputSchema }));
}

function idText(id) {
  return typeof id === 'number' ? id : JSON.stringify(id);
}

function call({ name, arguments: given, _meta }, write) {
  if (name === 'flood') flood(given.count, _meta.progressToken, write);
  if (name === 'large') return remembered(given.bytes, largeText);
  return remembered(given.text ?? 'done', String);
}

/** Made once: how long the server takes for it is of no interest. */
function remembered(key, textOf) {
  const known = results.get(key);
  if (known !== undefined) return known;
  const made = JSON.stringify({ content: [{ type: 'text', text: textOf(key) }] });
  results.set(key, made);
  return made;
}

function largeText(bytes) {
  return 'The quick brown fox. '.repeat(Math.ceil(bytes / 21));
}

function flood(count, token, write) {
  const before = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(token)},"progress":`;
  const after = `,"total":${count}}}`;
  for (let progress = 1; progress <= count; progress++) write(before + progress + after);
}
