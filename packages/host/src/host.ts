import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { systemClock, withTimeout } from '@mcp-fittings/client-core/timing';
import { afterTurn } from '@mcp-fittings/client-core/transport';
import type { Call } from './calls/call-dispatcher.js';
import { createToolTasks } from './calls/tool-tasks.js';
import { canonical } from './json-values.js';
import { createSemaphore } from './limiters.js';
import type { ListBudget } from './contracts/engine.js';
import type { CallOptions, Host, HostEvents, HostStatistics, ToolCallOptions } from './contracts/host.js';
import type { ToolResult } from './contracts/content.js';
import type { HostOptions } from './contracts/host-options.js';
import type { ConnectionStatus, ServerSnapshot } from './contracts/state.js';
import { createTracer } from './tracing.js';
import { createEmitter } from './events.js';
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
  checkTaskOptions,
  unknownServer,
  unknownTool,
} from './check-arguments.js';

const NO_OPTIONS: CallOptions = {};
const TOOL_REF = ['server', 'tool'];
/** How long a server waits with its start for the cached lists of the others, in milliseconds. */
const RESTORE_MS = 100;

/**
 * Creates a host. It starts nothing until {@link Host.connect}. Throws `CONFIG_INVALID` if `engine` or `transports` is missing;
 * an invalid entry is reported as the state of its server instead.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/architecture
 * @example
 * import { createHost } from '@mcp-fittings/host';
 * import { sdk } from '@mcp-fittings/host/sdk';
 * import { stdio } from '@mcp-fittings/transport-stdio';
 *
 * await using host = createHost({
 *   engine: sdk({ name: 'my-agent', version: '1.0.0' }),
 *   transports: [stdio()],
 * });
 * await host.connect({ everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } });
 * const { content } = await host.callTool({ server: 'everything', tool: 'echo' }, { message: 'hi' });
 */
export function createHost(options: HostOptions): Host {
  checkHostOptions(options);
  const { logger, clock = systemClock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const emitter = createEmitter<HostEvents>((event, cause) => {
    logger?.error(`A listener for the "${event}" event of the host threw an error.`, { cause });
  });
  const toolTasks = createToolTasks(emitter);
  const scopes = new Map<string, string>();
  const connectSlots = createSemaphore(limits.parallelConnects);
  const deps: HostDeps = {
    options,
    clock,
    random: options.random,
    logger,
    limits,
    emitter,
    tracer: createTracer(),
    listBudget: createListBudget(limits.listBytes),
    acquireConnectSlot: (signal) => connectSlots.acquire(signal),
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
    if (closed)
      throw new FittingsError('TRANSPORT_CLOSED', 'The host has been closed.', { delivery: 'not-sent' });
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
      const restored = named.map(async ([name, config]) => {
        const known = servers.get(name);
        if (known !== undefined && canonical(known.config) === canonical(config)) return;
        const created = createServer(name, config, deps);
        servers.set(name, created);
        await known?.dispose();
        await created.restoreLists();
      });
      const mayStart = options.cache === undefined ? undefined : untilRestored(restored, clock);
      await Promise.all(
        named.map(async ([name], index) => {
          await restored[index];
          await mayStart;
          const server = servers.get(name);
          if (server === undefined || server.settings.disabled || server.settings.lazy) return;
          // The outcome is the state of the server.
          server.start().catch(() => undefined);
          await server.firstOutcome();
        }),
      );
      return named.flatMap(([name]) => servers.get(name)?.snapshot() ?? []);
    },
    servers: () => [...servers.values()].map((server) => server.snapshot()),
    server: (name) => serverOf(name).snapshot(),

    tools: () => all((server) => server.available('tools')),
    prompts: () => all((server) => server.available('prompts')),
    resources: () => all((server) => server.available('resources')),
    resourceTemplates: () => all((server) => server.available('resourceTemplates')),

    async callTool(ref, args = {}, callOptions: ToolCallOptions = NO_OPTIONS) {
      checkOpen();
      checkRef('callTool', ref, TOOL_REF);
      checkRecord('callTool', 'second argument', args);
      const { server: name, tool } = ref;
      const server = serverOf(name);
      const definition = server.tool(tool);
      const { task } = callOptions;
      if (
        definition === undefined &&
        task?.resume === undefined &&
        server.snapshot().state.status === 'connected'
      ) {
        throw unknownTool(
          name,
          tool,
          server.lists().tools.map((each) => each.name),
        );
      }
      const hints = definition?.annotations;
      const isHarmless = hints?.readOnlyHint === true || hints?.idempotentHint === true;
      const send: Call<ToolResult>['send'] = (session, request) =>
        session.callTool(tool, args, { ...request, definition });
      const plain = { method: 'tools/call', target: tool, options: callOptions } as const;
      if (task === undefined) return server.call({ ...plain, repeatable: isHarmless, send });
      checkTaskOptions(task);
      using opened = toolTasks.open(ref, task);
      return await server.call({
        ...plain,
        // A task is resumed, not created again.
        get repeatable() {
          return isHarmless || opened.hasTask;
        },
        send: (session, request) => opened.send(session, request, (given) => send(session, given)),
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
      await server.signIn.signIn({ signal, challenge: server.authError?.challenge });
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

/**
 * Resolves when the cached lists are restored, or late, and the caller had a turn of the event loop to use them. Only then may the
 * first server start: starting 16 of them takes the event loop for 10 ms and more.
 */
async function untilRestored(restored: readonly Promise<void>[], clock: Clock): Promise<void> {
  const error = (): Error => new Error('The cache did not answer in time.');
  await withTimeout({ ms: RESTORE_MS, error, clock }, () => Promise.allSettled(restored)).catch(
    () => undefined,
  );
  // The second comes after the timers and immediates that have seen the first.
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => afterTurn(resolve));
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

/** Creates the budget that the lists of all servers share, including those that are still being read. */
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
