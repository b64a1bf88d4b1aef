/** What one call costs the process between a client and its server: the gateway, beside a bare reverse proxy. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startHttpServer } from './connection.mjs';

export const PROGRAMS = {
  floor: new URL('../servers/reverse-proxy.mjs', import.meta.url),
  ours: new URL('../servers/gateway.mjs', import.meta.url),
};
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const SMALL = { text: 'Sixty-four bytes of text are about what a small tool gives back.' };
const ROUND_MS = 400;

export const GATEWAY_CALLS = {
  /**
   * Microseconds of CPU (user and system) of the process between the client and the server for a call. Connections are kept alive on
   * both sides.
   * @param task `bytes`: of the result; `tools`: how many the server lists; `whole`: at the address of all servers; `policy`: whether
   * the gateway has one
   */
  async gatewayCalls({ contender, inFlight, warmMs, bytes, tools = 2, whole = false, policy = false }) {
    const { ports, stop } = await startHttpServer();
    const upstream = `http://127.0.0.1:${ports[0]}`;
    const between = await startProgram(PROGRAMS[contender], [upstream, String(tools), String(policy)]);
    const path = contender === 'floor' ? '/json' : whole ? '/mcp' : '/mcp/neutral';
    const pool = new Pool(`http://127.0.0.1:${between.port}`, { connections: inFlight });
    const client = new Client(pool, path);
    await client.initialize();
    const prefix = path === '/mcp' ? 'neutral__' : '';
    const call =
      bytes === undefined
        ? { name: `${prefix}echo`, arguments: SMALL }
        : { name: `${prefix}large`, arguments: { bytes } };
    await client.callFor(warmMs, inFlight, call);
    const round = async (ms = ROUND_MS) => {
      const before = await between.cpu();
      const made = await client.callFor(ms, inFlight, call);
      return { value: ((await between.cpu()) - before) / made };
    };
    round.stop = () => {
      stop();
      between.stop();
    };
    return round;
  },
};

/** Starts a program that says its port first, and what it has used when it is asked. */
export async function startProgram(program, args, execArgv = []) {
  const child = fork(fileURLToPath(program), args, { execArgv });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  const port = await answer();
  child.channel?.unref();
  child.unref();
  const ask = async (what) => {
    child.channel?.ref();
    child.send(what);
    const answered = await answer();
    child.channel?.unref();
    return answered;
  };
  return {
    port,
    stop: () => child.kill(),
    async cpu() {
      const { user, system } = await ask('cpu');
      return user + system;
    },
    memory: () => ask('memory'),
  };
}

/** JSON-RPC over undici: the same few lines for both. */
export class Client {
  #pool;
  #path;
  #headers;
  #nextId = 0;

  constructor(pool, path, headers = {}) {
    this.#pool = pool;
    this.#path = path;
    this.#headers = { ...HEADERS, ...headers };
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
      ...this.#headers,
      'mcp-protocol-version': '2025-06-18',
      ...(session !== undefined && { 'mcp-session-id': session }),
    };
    await this.#post({ method: 'notifications/initialized' });
    return this;
  }

  /** Calls for so many milliseconds, `inFlight` at any time. @returns how many were made */
  async callFor(ms, inFlight, params) {
    const end = performance.now() + ms;
    let made = 0;
    const worker = async () => {
      do {
        const { text } = await this.call(params);
        if (!text.includes('"content":[')) throw new Error(`Not an answer: ${text}`);
        made++;
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return made;
  }

  /** Calls once. */
  call(params) {
    return this.#post({ id: this.#nextId++, method: 'tools/call', params });
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
