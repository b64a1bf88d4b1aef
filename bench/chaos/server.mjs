/**
 * An MCP server that writes down every call it carries out, and fails on command: `node server.mjs <wire> <port> <ledger>`.
 * The ledger is a file, so that it outlives the process that the harness kills.
 */
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

/** @param {(id: string) => void} record @param {() => void} die */
export function createMarkServer(record, die) {
  const server = new McpServer({ name: 'chaos', version: '1.0.0' });
  const inputSchema = { id: z.string(), ms: z.number(), fault: z.string() };
  server.registerTool('mark', { inputSchema }, async ({ id, ms, fault }, { requestId }) => {
    if (fault === 'die-before') die();
    if (fault.startsWith('ask')) {
      const question = ask(server, fault, requestId);
      if (fault === 'ask-die') setTimeout(die, 30);
      await question;
    }
    record(id);
    if (fault === 'die-after') die();
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    if (fault === 'die-late') die();
    return { content: [{ type: 'text', text: id }] };
  });
  return server;
}

/** Asks the client of this call; the answer to `ask-die` never comes. */
function ask(server, message, relatedRequestId) {
  const requestedSchema = { type: 'object', properties: {} };
  return server.server.elicitInput({ message, requestedSchema }, { relatedRequestId, timeout: 600_000 });
}

if (process.argv[1] === import.meta.filename) {
  const [wire, port = '0', ledger = ''] = process.argv.slice(2);
  const file = openSync(ledger, 'a');
  const record = (id) => void writeSync(file, `${id}\n`);
  const die = () => process.kill(process.pid, 'SIGKILL');
  const make = () => createMarkServer(record, die);
  if (wire === 'stdio') await make().connect(new StdioServerTransport());
  else listen(wire, Number(port), make, record);
}

function listen(wire, port, make, record) {
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    try {
      const body = request.method === 'POST' ? await read(request) : undefined;
      if (answersFault(body, record, request, response)) return;
      if (wire === 'sse') await serveSse(sessions, make, request, response, body);
      else await serveHttp(sessions, make, request, response, body);
    } catch {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  });
  if (wire === 'ws') {
    const onConnection = (transport) => make().connect(transport);
    createWebSocketServer({ server, token: 'a-token-that-is-long-enough-for-a-gateway', onConnection });
  }
  server.listen(port, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

/** Statuses that a proxy or a busy server gives, before and after the call was carried out. */
function answersFault(body, record, request, response) {
  const { id, fault } = body?.params?.arguments ?? {};
  const retryAfter = { 'retry-after': '0' };
  switch (fault) {
    case '503-after':
    case '502-after':
    case '500-after':
      record(id);
      response.writeHead(Number(fault.slice(0, 3)), retryAfter).end();
      return true;
    case '503-before':
    case '429-before':
      response.writeHead(Number(fault.slice(0, 3)), retryAfter).end();
      return true;
    case 'cut-before':
      request.socket.resetAndDestroy();
      return true;
    case 'cut-after':
      record(id);
      request.socket.resetAndDestroy();
      return true;
    default:
      return false;
  }
}

async function serveHttp(sessions, make, request, response, body) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known !== undefined) return known.handleRequest(request, response, body);
  if (body?.method !== 'initialize') return response.writeHead(404).end();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, transport),
  });
  await make().connect(transport);
  return transport.handleRequest(request, response, body);
}

async function serveSse(sessions, make, request, response, body) {
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    response.once('close', () => sessions.delete(transport.sessionId));
    return make().connect(transport);
  }
  const session = new URL(request.url, 'http://localhost').searchParams.get('sessionId');
  const known = sessions.get(session);
  if (known === undefined) return response.writeHead(404).end();
  return known.handlePostMessage(request, response, body);
}

async function read(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}
