import { FittingsError } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/client-core/timing';
import type { Call } from './calls/call-dispatcher.js';
import { canonical } from './catalogue/digest.js';
import { createSemaphore } from './connection/semaphore.js';
import type { ListBudget } from './contracts/engine.js';
import type { CallOptions, Host, HostEvents, HostOptions, HostStatistics } from './contracts/host.js';
import type { ConnectionStatus, ServerSnapshot } from './contracts/state.js';
import { createTracer } from './observability/channels.js';
import { createEmitter } from './observability/events.js';
import { createServer } from './server/create-server.js';
import type { ServerConnection } from './server/server-connection.js';
import type { HostDeps } from './setup/server-deps.js';
import { DEFAULT_LIMITS } from './setup/settings.js';
import {
  checkEntries,
  checkHostOptions,
  checkName,
  checkRecord,
  checkRef,
  unknownServer,
  unknownTool,
} from './check-arguments.js';

const NO_OPTIONS: CallOptions = {};
const TOOL_REF = ['server', 'tool'];

/**
 * Makes a host; nothing is started until {@link Host.connect}. A mistake in an entry is the state of that server;
 * it throws `CONFIG_INVALID` only without an engine or transports.
 */
export function createHost(options: HostOptions): Host {
  checkHostOptions(options);
  const { logger, clock = systemClock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const emitter = createEmitter<HostEvents>((event, cause) => {
    logger?.error(`A listener of the host's "${event}" event threw.`, { cause });
  });
  const scopes = new Map<string, string>();
  const places = createSemaphore(limits.parallelConnects);
  const deps: HostDeps = {
    options,
    clock,
    random: options.random,
    logger,
    limits,
    emitter,
    tracer: createTracer(),
    listBudget: createListBudget(limits.listBytes),
    turn: (signal) => places.acquire(signal),
    scopes,
  };
  const servers = new Map<string, ServerConnection>();
  let closed = false;

  const serverOf = (name: string): ServerConnection => {
    checkName(name);
    const server = servers.get(name);
    if (server === undefined) throw unknownServer(name, servers.keys());
    return server;
  };
  const checkOpen = (): void => {
    if (closed) throw new FittingsError('TRANSPORT_CLOSED', 'The host was closed.', { delivery: 'not-sent' });
  };
  const all = <Item>(lists: (server: ServerConnection) => readonly Item[]): readonly Item[] =>
    [...servers.values()].flatMap(lists);
  const call = async <T>(
    server: string,
    method: string,
    target: string | undefined,
    callOptions: CallOptions | undefined,
    send: Call<T>['send'],
    repeatable = true,
  ): Promise<T> => {
    checkOpen();
    return serverOf(server).call({ method, target, options: callOptions ?? NO_OPTIONS, repeatable, send });
  };

  return {
    async connect(entries, { scopes: given = {} } = {}) {
      checkOpen();
      checkEntries(entries);
      for (const name of Object.keys(entries)) {
        const scope = Object.hasOwn(given, name) ? given[name] : undefined;
        if (scope === undefined) scopes.delete(name);
        else scopes.set(name, scope);
      }
      const named = Object.entries(entries);
      await Promise.all(
        named.map(async ([name, config]) => {
          const known = servers.get(name);
          if (known === undefined || canonical(known.config) !== canonical(config)) {
            const made = createServer(name, config, deps);
            servers.set(name, made);
            await known?.dispose();
            await made.recall();
          }
          const server = servers.get(name);
          if (server === undefined || server.settings.disabled || server.settings.lazy) return;
          // How it ends is the state of the server; nobody has to catch it here.
          server.start().catch(() => undefined);
          await server.firstOutcome();
        }),
      );
      return named.flatMap(([name]) => servers.get(name)?.snapshot() ?? []);
    },
    servers: () => [...servers.values()].map((server) => server.snapshot()),
    server: (name) => serverOf(name).snapshot(),

    tools: () => all((server) => server.offered('tools')),
    prompts: () => all((server) => server.offered('prompts')),
    resources: () => all((server) => server.offered('resources')),
    resourceTemplates: () => all((server) => server.offered('resourceTemplates')),

    async callTool(ref, args = {}, callOptions = NO_OPTIONS) {
      checkOpen();
      checkRef('callTool', ref, TOOL_REF);
      checkRecord('callTool', 'second argument', args);
      const { server: name, tool } = ref;
      const server = serverOf(name);
      const definition = server.tool(tool);
      if (definition === undefined && server.snapshot().state.status === 'connected') {
        throw unknownTool(
          name,
          tool,
          server.lists().tools.map((each) => each.name),
        );
      }
      const hints = definition?.annotations;
      return server.call({
        method: 'tools/call',
        target: tool,
        options: callOptions,
        repeatable: hints?.readOnlyHint === true || hints?.idempotentHint === true,
        send: (session, request) => session.callTool(tool, args, { ...request, definition }),
      });
    },
    async getPrompt(ref, args = {}, callOptions) {
      checkRef('getPrompt', ref, ['server', 'prompt']);
      checkRecord('getPrompt', 'second argument', args);
      const { server, prompt } = ref;
      return call(server, 'prompts/get', prompt, callOptions, (session, request) =>
        session.getPrompt(prompt, args, request),
      );
    },
    async readResource(ref, callOptions) {
      checkRef('readResource', ref, ['server', 'uri']);
      const { server, uri } = ref;
      return call(server, 'resources/read', uri, callOptions, (session, request) =>
        session.readResource(uri, request),
      );
    },
    async complete(ref, callOptions) {
      checkRef('complete', ref, ['server']);
      checkRef('complete', ref.argument, ['name', 'value']);
      const { server, ...params } = ref;
      return call(server, 'completion/complete', params.argument.name, callOptions, (session, request) =>
        session.complete(params, request),
      );
    },
    async request(ref, params = {}, callOptions) {
      checkRef('request', ref, ['server', 'method']);
      checkRecord('request', 'second argument', params);
      const { server, method } = ref;
      return call(
        server,
        method,
        undefined,
        callOptions,
        (session, request) => session.request(method, params, request),
        false,
      );
    },
    notify: (server, method, params = {}, callOptions) =>
      call(server, method, undefined, callOptions, (session) => session.notify(method, params), false),
    async subscribe(ref, callOptions = {}) {
      checkRef('subscribe', ref, ['server', 'uri']);
      await serverOf(ref.server).subscribe(ref.uri, callOptions);
    },
    async unsubscribe(ref, callOptions = {}) {
      checkRef('unsubscribe', ref, ['server', 'uri']);
      await serverOf(ref.server).unsubscribe(ref.uri, callOptions);
    },
    setLogLevel: async (server, level, callOptions = {}) => serverOf(server).setLogLevel(level, callOptions),

    async start(name, { signal } = {}) {
      checkOpen();
      await serverOf(name).start(signal);
    },
    stop: async (name) => serverOf(name).stop('stopped'),
    async restart(name) {
      checkOpen();
      const server = serverOf(name);
      await server.stop('stopped');
      await server.start();
    },
    enable: (name) => serverOf(name).enable(),
    disable: async (name) => serverOf(name).disable(),
    async remove(name) {
      const server = serverOf(name);
      servers.delete(name);
      scopes.delete(name);
      await server.dispose();
    },

    async signIn(name, { signal } = {}) {
      checkOpen();
      const server = serverOf(name);
      await server.signIn.signIn({ signal, challenge: server.demanded?.challenge });
      server.forgetEra();
      await server.start(signal);
    },
    async signOut(name) {
      const server = serverOf(name);
      await server.stop('stopped');
      await server.signIn.signOut();
      server.forget();
    },

    async rootsChanged() {
      await Promise.all([...servers.values()].map((server) => server.rootsChanged()));
    },
    statistics: () => statisticsOf([...servers.values()].map((server) => server.snapshot())),
    on: (event, listener) => emitter.on(event, listener),

    async close() {
      closed = true;
      await Promise.all([...servers.values()].map((server) => server.dispose()));
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

function statisticsOf(servers: readonly ServerSnapshot[]): HostStatistics {
  const byStatus: Partial<Record<ConnectionStatus, number>> = {};
  for (const { state } of servers) byStatus[state.status] = (byStatus[state.status] ?? 0) + 1;
  return {
    servers: servers.length,
    connected: byStatus.connected ?? 0,
    errored: (byStatus.failed ?? 0) + (byStatus['needs-auth'] ?? 0),
    tools: servers.reduce((sum, { counts }) => sum + counts.tools, 0),
    byStatus,
  };
}

/** Bounds what the lists of all servers of a host take together, those included that are still being read. */
function createListBudget(maxBytes: number): ListBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) return false;
      taken += bytes;
      return true;
    },
    giveBack(bytes) {
      taken = Math.max(0, taken - bytes);
    },
  };
}
