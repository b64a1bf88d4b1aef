import { createHost, type Host, type HostOptions } from '@mcp-fittings/host';
import { createLinkedPair, inprocess, type ServerFactory } from '@mcp-fittings/transport-inprocess';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport,
  type ClientCapabilities,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Server, type ServerContext } from '@modelcontextprotocol/server';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { z } from 'zod';
import { createCallbackRouter } from '../../src/callbacks/callback-router.js';
import type { Caller, Mount } from '../../src/contracts/caller.js';
import type { Surface } from '../../src/contracts/surface.js';
import { createFrontDoors } from '../../src/front-doors.js';
import { Peer } from '../../src/rpc/peer.js';
import { createSurface } from '../../src/surface/create-surface.js';
import type { SurfaceOptions } from '../../src/surface/surface-options.js';

const identity = { name: 'test', version: '1' };

type Result = Record<string, unknown>;
type Handler = (
  args: Record<string, unknown>,
  context: ServerContext,
  server: Server,
) => Promise<Result> | Result;

/** Lists and handlers of a server for tests. */
export interface ToyServer {
  readonly tools?: readonly { readonly name: string; readonly [member: string]: unknown }[];
  readonly call?: Handler;
  readonly prompts?: readonly unknown[];
  readonly resources?: readonly unknown[];
  readonly templates?: readonly unknown[];
  readonly read?: (uri: string) => Result;
  readonly instructions?: string;
  /** Sees each request as it arrives. */
  readonly onRequest?: (method: string, params: Result) => void;
}

/** Any parameters, as they came. */
const any = { params: z.looseObject({}) };

/** A result that no schema has seen: what handlers return is sent as it is. */
class RawServer extends Server {
  protected override _wrapHandler(...[, handler]: Parameters<Server['_wrapHandler']>) {
    return handler;
  }
}

/** Creates a real server of the SDK, without its validation of results. */
export function toyServer(toy: ToyServer): Server {
  const { tools = [], prompts, resources, templates, onRequest } = toy;
  const server = new RawServer(identity, {
    capabilities: {
      tools: { listChanged: true },
      ...(prompts && { prompts: { listChanged: true } }),
      ...(resources && { resources: { subscribe: true, listChanged: true } }),
      logging: {},
      completions: {},
    },
    ...(toy.instructions !== undefined && { instructions: toy.instructions }),
  });
  const handle = (
    method: string,
    handler: (params: Result, context: ServerContext) => Promise<Result> | Result,
  ) => {
    server.setRequestHandler(method, any, async (params, context) => {
      const { _meta } = context.mcpReq;
      onRequest?.(method, { ...params, ...(_meta && { _meta }) });
      return handler(params, context);
    });
  };
  handle('tools/list', () => ({
    tools: tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })),
  }));
  handle('tools/call', async (params, context) => {
    const handler = toy.call ?? (() => ({ content: [] }));
    const args = { ...(params['arguments'] as Result | undefined), tool: params['name'] };
    return handler(args, context, server);
  });
  if (prompts) {
    handle('prompts/list', () => ({ prompts }));
    handle('prompts/get', ({ name, arguments: args }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify([name, args]) } }],
    }));
  }
  if (resources) {
    handle('resources/list', () => ({ resources }));
    handle('resources/templates/list', () => ({ resourceTemplates: templates ?? [] }));
    handle('resources/read', ({ uri }) => toy.read?.(String(uri)) ?? { contents: [{ uri, text: 'text' }] });
    handle('resources/subscribe', () => ({}));
    handle('resources/unsubscribe', () => ({}));
  }
  handle('completion/complete', ({ ref, argument }) => ({
    completion: { values: [JSON.stringify([ref, argument])], total: 1, hasMore: false },
  }));
  return server;
}

/** Sends a request as it is, and returns the whole result. */
export const send = (
  client: ClientV2,
  method: string,
  params: Result = {},
  options: RequestOptions = {},
): Promise<Result> => client.request({ method, params }, z.looseObject({}), options);

export const text = (value: string): Result => ({ content: [{ type: 'text', text: value }] });

/** A host with a surface, and clients of it. */
export interface TestGateway extends AsyncDisposable {
  readonly host: Host;
  readonly surface: Surface;
  /** Connects a client of SDK v1 over a session. Use only what both SDKs have. */
  v1(options?: ClientOptions): Promise<ClientV2>;
  /** Connects a client of SDK v2 over a session. */
  v2(options?: ClientOptions): Promise<ClientV2>;
  /** Connects a client of SDK v2 that speaks 2026-07-28 over HTTP. */
  modern(options?: ClientOptions): Promise<ClientV2>;
}

export interface ClientOptions {
  readonly caller?: Caller;
  readonly mount?: Mount;
  readonly capabilities?: ClientCapabilities;
  /** Prepares the client before it connects. */
  readonly prepare?: (client: ClientV2) => void;
}

/** Listens as a client of 2026-07-28 does, until the result is called. */
export function listen(
  surface: Surface,
  caller: Caller,
  notifications: Result,
  onNotification: (method: string, params: Result) => void = () => undefined,
): () => void {
  const controller = new AbortController();
  const request = { id: 1, method: 'subscriptions/listen', params: { notifications } };
  const connection = { caller, mount: {}, era: 'modern' as const, client: {} };
  void surface.answer({ ...request, ...connection, controller, notify: onNotification });
  return () => controller.abort();
}

export const ANYBODY: Caller = { id: 'anybody' };

export async function gatewayOver(
  servers: Readonly<Record<string, ServerFactory>>,
  {
    host: hostOptions,
    ...options
  }: Omit<Partial<SurfaceOptions>, 'host'> & { readonly host?: Partial<HostOptions> } = {},
): Promise<TestGateway> {
  const callbacks = createCallbackRouter();
  const host = createHost({
    ...identity,
    transports: [inprocess({ servers })],
    callbacks: callbacks.hostCallbacks,
    ...hostOptions,
  });
  await host.connect(Object.fromEntries(Object.keys(servers).map((name) => [name, { type: 'sdk' }])));
  return gatewayOf(host, { callbacks, ...options });
}

/** Creates a surface over a host, and clients of it. */
export function gatewayOf(host: Host, options: Omit<SurfaceOptions, 'host'>): TestGateway {
  const surface = createSurface({ ...options, host });
  const closing: (() => Promise<void>)[] = [];
  /** Serves a client of a session over a pair of transports, and returns its end. */
  const serve = async (caller: Caller, mount: Mount) => {
    const [near, far] = createLinkedPair({ server: 'gateway' });
    const { clock = systemClock } = options;
    const peer = new Peer({ surface, caller, mount, clock, send: (message) => void far.send(message) });
    far.onmessage = (message) => peer.receive(message, caller);
    far.onclose = () => peer.close();
    await far.start();
    return near;
  };
  return {
    host,
    surface,
    async v1({ caller = ANYBODY, mount = {}, capabilities = {}, prepare } = {}) {
      const v1 = new ClientV1(identity, { capabilities: {} });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tests use only what both have
      const client = v1 as unknown as ClientV2;
      v1.registerCapabilities(capabilities);
      prepare?.(client);
      await v1.connect(await serve(caller, mount));
      closing.push(() => client.close());
      return client;
    },
    async v2({ caller = ANYBODY, mount = {}, capabilities = {}, prepare } = {}) {
      const client = new ClientV2(identity, { capabilities });
      prepare?.(client);
      await client.connect(await serve(caller, mount));
      closing.push(() => client.close());
      return client;
    },
    async modern({ caller = ANYBODY, mount = {}, capabilities = {}, prepare } = {}) {
      const doors = createFrontDoors(surface, () => true, { trustedCaller: caller });
      const client = new ClientV2(identity, {
        capabilities,
        versionNegotiation: { mode: { pin: '2026-07-28' } },
      });
      prepare?.(client);
      const fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
        doors.fetch(new Request(url, init));
      const path = mount.server === undefined ? '/mcp' : `/mcp/${encodeURIComponent(mount.server)}`;
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost${path}`), { fetch }));
      closing.push(() => client.close());
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(closing.map((close) => close()));
      await surface.close();
      await host.close();
    },
  };
}
