/** What one call through the gateway costs, beside a bare reverse proxy in front of the same server. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startHttpServer } from './connection.mjs';

const PROGRAMS = {
  floor: new URL('../servers/reverse-proxy.mjs', import.meta.url),
  ours: new URL('../servers/gateway.mjs', import.meta.url),
};
const PATHS = { floor: '/json', ours: '/mcp/neutral' };
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const ECHO = {
  name: 'echo',
  arguments: { text: 'Sixty-four bytes of text are about what a small tool gives back.' },
};
const ROUND_MS = 400;

export const GATEWAY_CALLS = {
  /** Microseconds a call, and of them those of CPU of the process between the client and the server. */
  async gatewayCalls({ contender, inFlight, warmMs }) {
    const { ports } = await startHttpServer();
    const between = await startProgram(PROGRAMS[contender], `http://127.0.0.1:${ports[0]}`);
    const client = new Client(`http://127.0.0.1:${between.port}`, PATHS[contender], inFlight);
    await client.initialize();
    await client.callFor(warmMs, inFlight);
    return async () => {
      const before = await between.cpu();
      const started = performance.now();
      const made = await client.callFor(ROUND_MS, inFlight);
      const ms = performance.now() - started;
      const cpu = (await between.cpu()) - before;
      return { value: (ms * 1000) / made, cpu: cpu / made };
    };
  },
};

/** Starts a program that says its port first and its CPU when it is asked. */
async function startProgram(program, upstream) {
  const child = fork(fileURLToPath(program), [upstream], { execArgv: [] });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  const port = await answer();
  child.channel?.unref();
  child.unref();
  return {
    port,
    async cpu() {
      child.channel?.ref();
      child.send('cpu');
      const { user, system } = await answer();
      child.channel?.unref();
      return user + system;
    },
  };
}

/** JSON-RPC over undici: the same few lines for both. */
class Client {
  #pool;
  #path;
  #headers = HEADERS;
  #nextId = 0;

  constructor(origin, path, connections) {
    this.#pool = new Pool(origin, { connections });
    this.#path = path;
  }

  async initialize() {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    };
    const { headers } = await this.#post({ id: this.#nextId++, method: 'initialize', params });
    const session = headers['mcp-session-id'];
    this.#headers = {
      ...HEADERS,
      'mcp-protocol-version': '2025-06-18',
      ...(session !== undefined && { 'mcp-session-id': session }),
    };
    await this.#post({ method: 'notifications/initialized' });
  }

  /** Calls for so many milliseconds, `inFlight` at any time. @returns how many were made */
  async callFor(ms, inFlight) {
    const end = performance.now() + ms;
    let made = 0;
    const worker = async () => {
      do {
        const { text } = await this.#post({ id: this.#nextId++, method: 'tools/call', params: ECHO });
        if (!text.includes(ECHO.arguments.text)) throw new Error(`Not an answer: ${text}`);
        made++;
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return made;
  }

  async #post(message) {
    const { headers, body } = await this.#pool.request({
      path: this.#path,
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    return { headers, text: await body.text() };
  }
}
