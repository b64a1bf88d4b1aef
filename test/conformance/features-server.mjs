/**
 * A server with everything that the official server scenarios use, in both protocol eras: `test/conformance/gateway.mjs --features` compares
 * it with itself behind the gateway. `server-everything` has none of these tools, so that most scenarios fail with it.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  InMemoryServerEventBus,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
  acceptedContent,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  isLegacyRequest,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

/** Starts the server on a free port of the loopback interface. Resolves with its URL. */
export async function startFeaturesServer() {
  const bus = new InMemoryServerEventBus();
  const codec = createRequestStateCodec({ key: randomUUID() + randomUUID() });
  const sessions = new Map();
  const create = () => featuresServer(bus, codec);
  const modern = createMcpHandler(create, { legacy: 'reject', bus });

  const legacy = async (request) => {
    const kept = sessions.get(request.headers.get('mcp-session-id'));
    if (kept !== undefined) return kept.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    if (request.headers.has('mcp-session-id')) {
      const error = { code: -32001, message: 'The session does not exist.' };
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
    }
    await create().connect(transport);
    return transport.handleRequest(request);
  };
  const handler = toNodeHandler({
    fetch: async (request) => ((await isLegacyRequest(request)) ? legacy(request) : modern.fetch(request)),
  });
  const http = createServer((request, response) => {
    const { hostname } = new URL(`http://${request.headers.host}`);
    if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return void response.writeHead(403).end();
    void handler(request, response);
  });
  await new Promise((resolve) => void http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    async close() {
      await Promise.all([...sessions.values()].map((each) => each.close()));
      await modern.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

function featuresServer(bus, codec) {
  const server = new McpServer(
    { name: 'features', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: codec.verify },
      cacheHints: {
        'tools/list': { ttlMs: 60_000, cacheScope: 'public' },
        'prompts/list': { ttlMs: 60_000, cacheScope: 'public' },
        'resources/list': { ttlMs: 60_000, cacheScope: 'public' },
        'resources/templates/list': { ttlMs: 60_000, cacheScope: 'public' },
        'resources/read': { ttlMs: 60_000, cacheScope: 'public' },
        'server/discover': { ttlMs: 60_000, cacheScope: 'public' },
      },
    },
  );
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  offerContent(server);
  offerQuestions(server);
  offerInputRequired(server, codec);
  offerResources(server);
  offerPrompts(server);
  const change = (name, act) =>
    tool(server, name, () => {
      act();
      return text('changed');
    });
  change('test_trigger_tool_change', () => bus.publish({ kind: 'tools_list_changed' }));
  change('test_trigger_prompt_change', () => bus.publish({ kind: 'prompts_list_changed' }));
  return server;
}

/** Registers a tool without arguments. */
function tool(server, name, run) {
  server.registerTool(name, { description: `Tool ${name} of the scenarios` }, run);
}

function offerContent(server) {
  tool(server, 'test_simple_text', () => text('This is a simple text response for testing.'));
  tool(server, 'test_image_content', () => ({ content: [image] }));
  tool(server, 'test_audio_content', () => ({
    content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }],
  }));
  const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });
  tool(server, 'test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  tool(server, 'test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }));
  tool(server, 'test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    tool(server, name, async (ctx) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await ctx.mcpReq.log('info', line);
        await delay(50);
      }
      return text('done');
    });
  }
  tool(server, 'test_tool_with_progress', async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await ctx.mcpReq.notify({ method: 'notifications/progress', params });
      }
      await delay(50);
    }
    return text('done');
  });
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Has a schema with keywords of draft 2020-12',
      inputSchema: fromJsonSchema(SCHEMA_2020_12),
    },
    () => text('done'),
  );
  server.registerTool(
    'test_custom_headers',
    {
      description: 'Mirrors an argument in a header',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      }),
    },
    ({ region }) => text(`region: ${region}`),
  );
}

/** Questions to the client. In both eras a handler asks with `inputRequired()`; the SDK sends requests in the older one. */
function offerQuestions(server) {
  const asks = (name, input, request, answer) =>
    server.registerTool(
      name,
      { description: `Tool ${name} of the scenarios`, ...(input !== undefined && { inputSchema: input }) },
      (...given) => {
        const ctx = given.at(-1);
        const response = ctx.mcpReq.inputResponses?.question;
        if (response !== undefined) return text(answer(response));
        return inputRequired({ inputRequests: { question: request(input === undefined ? {} : given[0]) } });
      },
    );
  const outcome = (label) => (response) =>
    `${label}: action=${response.action}, content=${JSON.stringify(response.content ?? {})}`;

  asks(
    'test_sampling',
    z.object({ prompt: z.string() }),
    ({ prompt }) =>
      inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      }),
    ({ content }) => `LLM response: ${content?.text ?? ''}`,
  );
  asks(
    'test_elicitation',
    z.object({ message: z.string() }),
    ({ message }) =>
      inputRequired.elicit({
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
      }),
    outcome('User response'),
  );
  const form = (properties) => () =>
    inputRequired.elicit({ message: 'Please answer', requestedSchema: { type: 'object', properties } });
  asks('test_elicitation_sep1034_defaults', undefined, form(DEFAULTS), outcome('Elicitation completed'));
  asks('test_elicitation_sep1330_enums', undefined, form(ENUMS), outcome('Elicitation completed'));
  asks('test_streaming_elicitation', undefined, form(NAME_FORM.properties), outcome('Elicitation completed'));
  tool(server, 'test_missing_capability', (ctx) => {
    if (ctx.mcpReq.inputResponses?.question !== undefined) return text('done');
    const question = inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      maxTokens: 10,
    });
    return inputRequired({ inputRequests: { question } });
  });
}

function offerInputRequired(server, codec) {
  const ask = (message, requestedSchema = NAME_FORM) => inputRequired.elicit({ message, requestedSchema });
  const sample = (question, maxTokens) =>
    inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: question } }],
      maxTokens,
    });
  const answered = (ctx, key) => inputResponse(ctx.mcpReq.inputResponses, key).kind !== 'missing';

  tool(server, 'test_input_required_result_elicitation', (ctx) => {
    const content = acceptedContent(ctx.mcpReq.inputResponses, 'user_name');
    if (typeof content?.name === 'string') return text(`Hello, ${content.name}!`);
    return inputRequired({ inputRequests: { user_name: ask('What is your name?') } });
  });
  tool(server, 'test_input_required_result_sampling', (ctx) => {
    const response = ctx.mcpReq.inputResponses?.capital_question;
    if (response !== undefined) return text(`The model said: ${response.content?.text ?? ''}`);
    return inputRequired({
      inputRequests: { capital_question: sample('What is the capital of France?', 100) },
    });
  });
  tool(server, 'test_input_required_result_list_roots', (ctx) => {
    const roots = ctx.mcpReq.inputResponses?.client_roots?.roots;
    if (roots !== undefined) return text(`Roots: ${roots.map(({ uri }) => uri).join(', ')}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  for (const name of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ]) {
    tool(server, name, async (ctx) => {
      if (ctx.mcpReq.requestState()?.asked === name && answered(ctx, 'confirm')) return text('state-ok');
      const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
      const requestState = await codec.mint({ asked: name }, ctx);
      return inputRequired({ inputRequests: { confirm: ask('Please confirm', schema) }, requestState });
    });
  }
  tool(server, 'test_input_required_result_multiple_inputs', async (ctx) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => answered(ctx, key))) return text('All inputs were received.');
    const inputRequests = {
      user_name: ask('What is your name?'),
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await codec.mint({ round: 1 }, ctx) });
  });
  tool(server, 'test_input_required_result_multi_round', async (ctx) => {
    const { round = 0 } = ctx.mcpReq.requestState() ?? {};
    if (round === 2 && answered(ctx, 'step2')) return text('All steps are done.');
    if (round === 1 && answered(ctx, 'step1')) {
      const schema = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] };
      const requestState = await codec.mint({ round: 2 }, ctx);
      return inputRequired({
        inputRequests: { step2: ask('Step 2: What is your favorite color?', schema) },
        requestState,
      });
    }
    const requestState = await codec.mint({ round: 1 }, ctx);
    return inputRequired({ inputRequests: { step1: ask('Step 1: What is your name?') }, requestState });
  });
  tool(server, 'test_input_required_result_capabilities', (ctx) => {
    if (answered(ctx, 'greeting') || answered(ctx, 'user_name')) return text('done');
    const can = ctx.mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
    return inputRequired({
      inputRequests: {
        ...(can.sampling !== undefined && { greeting: sample('Generate a greeting', 50) }),
        ...(can.elicitation !== undefined && { user_name: ask('What is your name?') }),
      },
      requestState: 'asked',
    });
  });
}

function offerResources(server) {
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text', mimeType: 'text/plain' },
    ({ href }) => ({
      contents: [
        { uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
      ],
    }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image', mimeType: 'image/png' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: PIXEL }] }),
  );
  server.registerResource(
    'watched-resource',
    'test://watched-resource',
    { description: 'A text that changes', mimeType: 'text/plain' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: 'Watched' }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id', mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}

function offerPrompts(server) {
  const message = (content) => ({ role: 'user', content });
  const say = (value) => message({ type: 'text', text: value });
  server.registerPrompt('test_simple_prompt', { description: 'A simple prompt' }, () => ({
    messages: [say('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with arguments',
      argsSchema: z.object({
        arg1: completable(z.string(), (value) =>
          ['paris', 'park', 'party'].filter((each) => each.startsWith(value)),
        ),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => ({ messages: [say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        message({
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        say('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image' }, () => ({
    messages: [message(image), say('Please analyze the image above.')],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'A prompt that asks' }, (ctx) => {
    const content = acceptedContent(ctx.mcpReq.inputResponses, 'user_context');
    if (typeof content?.context === 'string')
      return { messages: [say(`Use this context: ${content.context}`)] };
    const schema = { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] };
    const question = { message: 'What context should the prompt use?', requestedSchema: schema };
    return inputRequired({ inputRequests: { user_context: inputRequired.elicit(question) } });
  });
}

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const titled = (prefix, titles) => titles.map((title, index) => ({ const: `${prefix}${index + 1}`, title }));
const ENUMS = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled('value', ['First Option', 'Second Option', 'Third Option']) },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: { anyOf: titled('value', ['First Choice', 'Second Choice', 'Third Choice']) },
  },
};
const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await startFeaturesServer();
  console.log(url);
}
