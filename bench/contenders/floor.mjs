/** The floor: JSON and the raw wire, and nothing that a transport has to take care of. */
import { spawn } from 'node:child_process';

export const floor = {
  stdio: ({ command, args }) => new PipeFloor(command, args),
  ws: async ({ url }) => new WebSocketFloor((await import('ws')).WebSocket, url),
  http: async ({ url, headers }) => new HttpFloor(await import('undici'), url, headers),
  'http-sse': async ({ url }) => new HttpFloor(await import('undici'), url),
  sse: async ({ url }) => new LegacyFloor(await import('undici'), url),
  inprocess: () => textPair(),
};

class PipeFloor {
  #command;
  #args;
  #child;
  #parts = [];

  constructor(command, args) {
    this.#command = command;
    this.#args = args;
  }

  async start() {
    this.#child = spawn(this.#command, this.#args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout.on('data', (chunk) => this.#read(chunk));
    await new Promise((resolve) => this.#child.once('spawn', resolve));
  }

  async send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      let line = chunk.subarray(start, end);
      if (this.#parts.length > 0) {
        this.#parts.push(line);
        line = Buffer.concat(this.#parts);
        this.#parts = [];
      }
      start = end + 1;
      this.onmessage(JSON.parse(line.toString()));
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }

  async close() {
    this.#child.stdin.end();
    this.#child.kill();
    this.onclose?.();
  }
}

class WebSocketFloor {
  #WebSocket;
  #url;
  #socket;

  constructor(WebSocket, url) {
    this.#WebSocket = WebSocket;
    this.#url = url;
  }

  async start() {
    this.#socket = new this.#WebSocket(this.#url, { perMessageDeflate: false });
    this.#socket.on('message', (data) => this.onmessage(JSON.parse(data.toString())));
    await new Promise((resolve) => this.#socket.once('open', resolve));
  }

  async send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  async close() {
    this.#socket.close();
    this.onclose?.();
  }
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

class HttpFloor {
  #undici;
  #url;
  #headers;
  #ending = new AbortController();

  constructor(undici, url, headers) {
    this.#undici = undici;
    this.#url = url;
    this.#headers = { ...HEADERS, ...headers };
  }

  async start() {
    this.#ending.signal.addEventListener('abort', () => undefined);
  }

  async send(message) {
    const { statusCode, headers, body } = await this.#undici.request(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(message),
    });
    if (statusCode === 202) {
      await body.dump();
      if (message.method === 'notifications/initialized') void this.listen().catch(() => undefined);
    } else if (headers['content-type'] === 'application/json') this.onmessage(await body.json());
    else await readEvents(body, (event) => this.onmessage(JSON.parse(event)));
  }

  /** The stream for what belongs to no request. Settles when the server has said whether there is one. */
  async listen() {
    const { statusCode, body } = await this.#undici.request(this.#url, {
      headers: { accept: 'text/event-stream' },
      bodyTimeout: 0,
      signal: this.#ending.signal,
    });
    if (statusCode !== 200) await body.dump();
    else body.on('error', () => undefined).on('data', () => undefined);
  }

  async close() {
    this.#ending.abort();
    this.onclose?.();
  }
}

class LegacyFloor {
  #undici;
  #url;
  #endpoint;
  #ending = new AbortController();

  constructor(undici, url) {
    this.#undici = undici;
    this.#url = url;
  }

  async start() {
    const { body } = await this.#undici.request(this.#url, {
      headers: { accept: 'text/event-stream' },
      bodyTimeout: 0,
      signal: this.#ending.signal,
    });
    await new Promise((resolve) => {
      void readEvents(body, (data) => {
        if (this.#endpoint !== undefined) return this.onmessage(JSON.parse(data));
        this.#endpoint = new URL(data, this.#url).href;
        return resolve();
      }).catch(() => undefined);
    });
  }

  async send(message) {
    const { body } = await this.#undici.request(this.#endpoint, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(message),
    });
    await body.dump();
  }

  async close() {
    this.#ending.abort();
    this.onclose?.();
  }
}

/** The data of each event, of streams as our servers write them. */
function readEvents(body, onData) {
  const parts = [];
  return new Promise((resolve, reject) => {
    body.on('error', reject);
    body.on('end', resolve);
    body.on('data', (chunk) => {
      parts.push(chunk);
      const { length } = chunk;
      if (chunk[length - 1] !== 10 || (length > 1 && chunk[length - 2] !== 10)) {
        if (chunk.lastIndexOf('\n\n') === -1) return;
      }
      const bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
      parts.length = 0;
      const end = bytes.lastIndexOf('\n\n') + 2;
      if (end < bytes.length) parts.push(bytes.subarray(end));
      for (const event of bytes.toString('utf8', 0, end).split('\n\n')) {
        const at = event.indexOf('data: ');
        if (at !== -1) onData(event.slice(at + 6));
      }
    });
  });
}

/** Two ends in one process that exchange JSON text, asynchronously. */
function textPair() {
  const ends = [{}, {}];
  for (const [index, end] of ends.entries()) {
    const other = ends[1 - index];
    end.start = async () => undefined;
    end.send = async (message) => {
      const text = JSON.stringify(message);
      queueMicrotask(() => other.onmessage(JSON.parse(text)));
    };
    end.close = async () => end.onclose?.();
  }
  return ends;
}
