import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ListKind, Listings, ToolDefinition } from '../contracts/catalog.js';
import type {
  EngineNotifyOptions,
  EngineRequestOptions,
  EngineSession,
  ProtocolEra,
  ListOptions,
  ListResult,
  ServerIdentity,
} from '../contracts/engine.js';
import { listPages, type ClientMethod } from './list-pages.js';
import { readCompletion, readPromptResult, readResourceResult, readToolResult } from './read-results.js';
import { callAsTask, requiresTask } from './required-task.js';

/** What a request needs besides its parameters. */
export interface RequestExtras {
  /** Definition of the tool that `tools/call` calls, from which headers are derived. */
  readonly tool?: ToolDefinition | undefined;
}

/** Handshake results and functions from which {@link createSession} creates an engine session. */
export interface SessionDeps {
  /** Name of the server, for error messages. */
  readonly server: string;
  /** Negotiated protocol revision. */
  readonly protocolVersion: string;
  /** Handshake that the server needs. */
  readonly era: ProtocolEra;
  /** Name and version of the server's program. */
  readonly serverInfo: ServerIdentity | undefined;
  /** Instructions for the model. */
  readonly instructions: string | undefined;
  /** Capabilities as the server declared them. */
  readonly capabilities: JSONRPCObject;
  /** Returns why a tool cannot be used on this connection, for example because of its annotations; `undefined` if it can. */
  readonly unusable?: ((tool: JSONRPCObject) => string | undefined) | undefined;
  /**
   * Sends one request, whose parameters have `meta` of its options already, and resolves with the result as the server sent it.
   * Rejects with a `FittingsError`.
   */
  request(
    method: string,
    params: JSONRPCObject,
    options: EngineRequestOptions,
    extras?: RequestExtras,
  ): Promise<JSONRPCObject>;
  /** Replaces these methods where the protocol revision does not have one request for each. */
  readonly overrides?: Pick<EngineSession, 'subscribe' | 'unsubscribe' | 'setLogLevel'> | undefined;
  /** Sends a notification; resolves when the transport has sent it. */
  notify(method: string, params: JSONRPCObject, options: EngineNotifyOptions): Promise<void>;
  /** Sends `notifications/roots/list_changed`, if the revision has it. */
  rootsChanged(): Promise<void>;
  /** Closes the session and its transport. */
  close(): Promise<void>;
}

/** Creates an engine session from the requests of an engine: checks capabilities, reads pages, and reads results tolerantly. */
export function createSession(deps: SessionDeps): EngineSession {
  const { capabilities, server } = deps;
  const has = (capability: string): boolean => isRecord(capabilities[capability]);
  const send: SessionDeps['request'] = (method, params, options, extras) =>
    deps.request(method, withMeta(params, options), options, extras);

  const demand = (capability: string, what: string): void => {
    if (has(capability)) return;
    throw new FittingsError('CAPABILITY_MISSING', `The server "${server}" does not offer ${what}.`, {
      server,
      delivery: 'not-sent',
      details: { capability },
    });
  };

  return {
    protocolVersion: deps.protocolVersion,
    era: deps.era,
    serverInfo: deps.serverInfo,
    instructions: deps.instructions,
    capabilities,
    async list<Kind extends ListKind>(kind: Kind, options: ListOptions): Promise<ListResult<Kind>> {
      if (!has(CAPABILITY_OF_LIST[kind])) return { items: [], skipped: [], isPublic: true };
      let isPublic = true;
      const read = async (method: ClientMethod, params: JSONRPCObject): Promise<JSONRPCObject> => {
        const page = await send(method, params, options);
        // What the server does not call public is private (SEP-2549).
        isPublic &&= page['cacheScope'] === 'public';
        return page;
      };
      const pages = await listPages<Listings[Kind]>(kind, read, {
        ...options,
        unusable: kind === 'tools' ? deps.unusable : undefined,
      });
      return { ...pages, isPublic };
    },
    async callTool(name, args, options) {
      demand('tools', 'tools');
      const { definition: tool } = options;
      const params = { name, arguments: { ...args } };
      const result = requiresTask(deps, tool)
        ? await callAsTask(deps, withMeta(params, options), options)
        : await send('tools/call', params, options, { tool });
      return readToolResult(server, result);
    },
    async getPrompt(name, args, options) {
      demand('prompts', 'prompts');
      const result = await send('prompts/get', { name, arguments: { ...args } }, options);
      return readPromptResult(server, result);
    },
    async readResource(uri, options) {
      demand('resources', 'resources');
      const result = await send('resources/read', { uri }, options);
      return readResourceResult(server, uri, result);
    },
    async complete(params, options) {
      demand('completions', 'completions');
      const result = await send('completion/complete', { ...params }, options);
      return readCompletion(server, result);
    },
    async subscribe(uri, options) {
      demand('resources', 'resources');
      if (deps.overrides !== undefined) return deps.overrides.subscribe(uri, options);
      await send('resources/subscribe', { uri }, options);
    },
    async unsubscribe(uri, options) {
      demand('resources', 'resources');
      if (deps.overrides !== undefined) return deps.overrides.unsubscribe(uri, options);
      await send('resources/unsubscribe', { uri }, options);
    },
    async setLogLevel(level, options) {
      demand('logging', 'log messages');
      if (deps.overrides !== undefined) return deps.overrides.setLogLevel(level, options);
      await send('logging/setLevel', { level }, options);
    },
    request: (method, params, options) => send(method, params, options),
    async ping(options) {
      await send(deps.era.kind === 'stateless' ? 'server/discover' : 'ping', {}, options);
    },
    notify: (method, params, options = {}) => deps.notify(method, params, options),
    rootsChanged: () => deps.rootsChanged(),
    close: () => deps.close(),
  };
}

const CAPABILITY_OF_LIST: Readonly<Record<ListKind, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resources',
};

/** Returns the parameters of a request with `meta` of its options added to `_meta`. */
function withMeta(params: JSONRPCObject, { meta }: EngineRequestOptions): JSONRPCObject {
  return meta === undefined ? params : { ...params, _meta: { ...params._meta, ...meta } };
}
