import { randomUUID } from 'node:crypto';
import {
  type Clock,
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from '@mcp-fittings/client-core';
import { isErrorResponse, isRecord, isRequest, isResponse, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { canonicalJson, hashText } from '@mcp-fittings/toolbox/text';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import type { CatalogTool } from '@mcp-fittings/host';
import { readList } from '@mcp-fittings/host/engine';
import { errorResponse } from './error-responses.js';

/** Returns why tools are held back, by name. `tools` are all that the server has now. Rejects if that cannot be known. */
export type HeldBack = (tools: readonly CatalogTool[]) => Promise<ReadonlyMap<string, FittingsError>>;

export interface ToolGateOptions {
  readonly server: string;
  readonly heldBack: HeldBack;
  readonly clock: Clock;
  /** Sends a message to the server. */
  readonly send: (message: JSONRPCMessage) => Promise<void>;
}

const LIST_MS = 30_000;

/** Leaves tools that are held back out of the lists of one connection, and refuses their calls. */
export class ToolGate {
  readonly #options: ToolGateOptions;
  /** Requests of the gate itself. */
  readonly #own = new Map<RequestId, (response: JSONRPCResponse) => void>();
  /** Requests of clients for a page of the list; each with the work on its response. */
  readonly #pages = new Map<RequestId, { readonly params: JSONRPCObject; work?: Promise<void> }>();
  /** All tools of the server. */
  #tools: Promise<readonly CatalogTool[]> | undefined;

  constructor(options: ToolGateOptions) {
    this.#options = options;
  }

  /** Sends a message of a client with `send`, unless it calls a tool that is held back: then it rejects with the reason. */
  async pass(message: JSONRPCMessage, send: () => Promise<void>): Promise<void> {
    if (!isRequest(message)) return send();
    const { id, method, params = {} } = message;
    if (method === 'tools/call') await this.#check(message);
    if (method !== 'tools/list') return send();
    const page: { readonly params: JSONRPCObject; work?: Promise<void> } = { params };
    this.#pages.set(id, page);
    try {
      await send();
      await page.work;
    } finally {
      this.#pages.delete(id);
    }
  }

  /** Takes a message of the server, and delivers what is meant for the clients. */
  receive(message: JSONRPCMessage, deliver: (message: JSONRPCMessage) => void): void {
    if (!isResponse(message)) {
      if (message.method === 'notifications/tools/list_changed') this.#tools = undefined;
      return deliver(message);
    }
    const { id } = message;
    const own = id === undefined || id === null ? undefined : this.#own.get(id);
    if (own !== undefined) return own(message);
    const page = id === undefined || id === null ? undefined : this.#pages.get(id);
    if (id === undefined || id === null || page === undefined || isErrorResponse(message))
      return deliver(message);
    page.work = this.#permitted(message.result, page.params).then(
      (result) => deliver({ ...message, result }),
      (error: unknown) => deliver(errorResponse(id, error)),
    );
  }

  async #check({ params = {} }: JSONRPCRequest): Promise<void> {
    const { name } = params;
    const tools = await this.#all(params);
    const held = await this.#options.heldBack(tools);
    const reason = typeof name === 'string' ? held.get(name) : undefined;
    if (reason !== undefined) throw reason;
  }

  /** Returns a page of the list without the tools that are held back, and without those that are not as the whole list has them. */
  async #permitted(result: JSONRPCObject, params: JSONRPCObject): Promise<JSONRPCObject> {
    const listed: unknown = result['tools'];
    if (!Array.isArray(listed)) return result;
    const page = await this.#read(() => Promise.resolve({ tools: listed }));
    const isWhole = params['cursor'] === undefined && typeof result['nextCursor'] !== 'string';
    if (isWhole) this.#tools = Promise.resolve(page);
    const all = isWhole ? page : await this.#all(params);
    const held = await this.#options.heldBack(all);
    const known = new Map(all.map(({ name, digest }) => [name, digest]));
    const shown = new Set(
      page
        .filter(({ name, digest }) => !held.has(name) && known.get(name) === digest)
        .map(({ name }) => name),
    );
    // Of two tools with one name, the first is called.
    const tools = listed.filter(
      (tool: unknown) => isRecord(tool) && typeof tool['name'] === 'string' && shown.delete(tool['name']),
    );
    return { ...result, tools };
  }

  /** Returns all tools of the server, as the host would list them. */
  #all({ _meta: meta }: JSONRPCObject): Promise<readonly CatalogTool[]> {
    if (this.#tools !== undefined) return this.#tools;
    // A server without sessions reads the revision and the capabilities of the client in each request.
    const { progressToken: _token, ...envelope } = isRecord(meta) ? meta : {};
    const reading = this.#read((params) =>
      this.#request({ ...params, ...(isRecord(meta) && { _meta: envelope }) }),
    );
    this.#tools = reading;
    reading.catch(() => {
      if (this.#tools === reading) this.#tools = undefined;
    });
    return reading;
  }

  async #read(request: (params: JSONRPCObject) => Promise<JSONRPCObject>): Promise<readonly CatalogTool[]> {
    const { server } = this.#options;
    const { items } = await readList(
      { capabilities: { tools: {} }, request: (_method, params) => request(params) },
      'tools',
      { timeoutMs: LIST_MS, maxPages: 64, maxItems: 10_000 },
    );
    return items.map((tool) => ({ ...tool, server, digest: hashText(canonicalJson(tool)).slice(0, 22) }));
  }

  /** Requests one page of the list. A server that does not know the method has no tools. */
  async #request(params: JSONRPCObject): Promise<JSONRPCObject> {
    const { server, clock, send } = this.#options;
    const id = `fittings-${randomUUID()}`;
    const error = (): FittingsError =>
      new FittingsError('TIMEOUT', `The server "${server}" did not list its tools in time.`, {
        server,
        delivery: 'not-sent',
      });
    try {
      const response = await withTimeout(
        { ms: LIST_MS, error, clock },
        () =>
          new Promise<JSONRPCResponse>((resolve, reject) => {
            this.#own.set(id, resolve);
            send({ jsonrpc: '2.0', id, method: 'tools/list', params }).catch(reject);
          }),
      );
      if (!isErrorResponse(response)) return response.result;
      const { code, message } = response.error;
      if (code === RPC_CODES.methodNotFound) return { tools: [] };
      throw new FittingsError('RPC_ERROR', `The server "${server}" could not list its tools: ${message}`, {
        server,
        delivery: 'not-sent',
        details: { rpcCode: code },
      });
    } finally {
      this.#own.delete(id);
    }
  }
}
