import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { afterTurn, RefusalPace } from '@mcp-fittings/toolbox/base-transport';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { systemClock, withTimeout } from '@mcp-fittings/toolbox/timing';
import { timeoutOf, type Call } from './calls/call-dispatcher.js';
import { createToolTasks } from './calls/tool-tasks.js';
import { createSemaphore } from './limiters.js';
import type { ListBudget } from './contracts/engine.js';
import type {
  CallOptions,
  Host,
  HostEvents,
  HostStatistics,
  PrincipalOptions,
  ToolCallOptions,
} from './contracts/host.js';
import type { ToolResult } from './contracts/content.js';
import type { HostOptions } from './contracts/host-options.js';
import type { ConnectionStatus, ServerSnapshot } from './contracts/state.js';
import { createTracer } from './tracing.js';
import { createEmitter } from './events.js';
import { checkCallContext } from './calls/call-context.js';
import { interceptionLoader, withInterception } from './interception/load-interception.js';
import { native } from './native/engine.js';
import { createServer } from './server/create-server.js';
import { createPrincipalServers } from './server/principal-servers.js';
import type { ServerConnection } from './server/server-connection.js';
import type { HostDeps } from './setup/server-deps.js';
import { DEFAULT_LIMITS } from './setup/default-limits.js';
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
 * Creates a host. It starts nothing until {@link Host.connect}. Throws `CONFIG_INVALID` if `name`, `version` or
 * `transports` is missing; an invalid entry is reported as the state of its server instead.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/architecture
 * @example
 * import { createHost } from '@mcp-fittings/host';
 * import { stdio } from '@mcp-fittings/transport-stdio';
 *
 * await using host = createHost({ name: 'my-agent', version: '1.0.0', transports: [stdio()] });
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
  const listBudget = createListBudget(limits.listBytes);
  const servers = new Map<string, ServerConnection>();
  const interception = interceptionLoader(options.intercept, {
    clock,
    listBudget,
    timeoutOf: (server, method, given) =>
      timeoutOf(method, given, { limits, callMs: servers.get(server)?.settings.callMs ?? limits.callMs }),
  });
  const deps: HostDeps = {
    options,
    engine: options.engine ?? native(),
    clock,
    random: options.random,
    logger,
    limits,
    emitter,
    tracer: createTracer(),
    listBudget,
    runningCall: new AsyncLocalStorage(),
    interception,
    acquireConnectSlot: (signal) => connectSlots.acquire(signal),
    scopes,
  };
  let closed = false;
  /** A program that calls again at once, without end, must not keep timers and sockets from their turn. */
  const refusals = new RefusalPace();

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
  const people = createPrincipalServers(deps);
  /** Returns the person whose own connection is meant; undefined for the connection of the host. */
  const personOf = ({ principal }: PrincipalOptions): string | undefined =>
    principal === options.principal ? undefined : principal;
  /** Runs `work` with the server, or with the connection of the person whom the options name. */
  const use = async <T>(
    name: string,
    given: CallOptions,
    work: (server: ServerConnection) => Promise<T>,
  ): Promise<T> => {
    try {
      checkOpen();
      const server = serverOf(name);
      checkCallContext(name, given);
      const principal = personOf(given);
      return await (principal === undefined ? work(server) : people.use({ name, server }, principal, work));
    } catch (error) {
      await new Promise<void>((resolve) => refusals.run(resolve));
      throw error;
    }
  };
  const all = <Item>(
    given: PrincipalOptions,
    lists: (server: ServerConnection) => readonly Item[],
  ): readonly Item[] => {
    const principal = personOf(given);
    if (principal === undefined) return [...servers.values()].flatMap(lists);
    return [...servers.keys()].flatMap((name) => {
      const server = people.find(name, principal);
      return server === undefined ? [] : lists(server);
    });
  };
  const snapshotOf = (name: string, given: PrincipalOptions): ServerSnapshot => {
    const principal = personOf(given);
    const server = serverOf(name);
    if (principal === undefined) return server.snapshot();
    const own = people.find(name, principal) ?? createServer(name, server.config, deps, principal);
    return own.snapshot();
  };
  const call = async <T>(
    server: string,
    method: string,
    target: string | undefined,
    callOptions: CallOptions | undefined,
    send: Call<T>['send'],
    repeatable = true,
  ): Promise<T> => {
    const given = callOptions ?? NO_OPTIONS;
    return use(server, given, (connection) =>
      connection.call({ method, target, options: given, repeatable, send }),
    );
  };

  const host: Host = {
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
        if (known !== undefined && canonicalJson(known.config) === canonicalJson(config)) return;
        const created = createServer(name, config, deps);
        servers.set(name, created);
        await known?.dispose();
        await people.dropAll(name);
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
    async settled({ signal } = {}) {
      await Promise.all(Array.from(servers.values(), (server) => server.settled(signal)));
      return host.servers();
    },
    servers: (given = NO_OPTIONS) => Array.from(servers.keys(), (name) => snapshotOf(name, given)),
    server: (name, given = NO_OPTIONS) => snapshotOf(name, given),

    tools: (given = NO_OPTIONS) => all(given, (server) => server.available('tools')),
    tool(ref, given = NO_OPTIONS) {
      checkRef('tool', ref, TOOL_REF);
      const principal = personOf(given);
      const own = servers.get(ref.server);
      const server = principal === undefined || own === undefined ? own : people.find(ref.server, principal);
      return server?.availableTool(ref.tool);
    },
    prompts: (given = NO_OPTIONS) => all(given, (server) => server.available('prompts')),
    resources: (given = NO_OPTIONS) => all(given, (server) => server.available('resources')),
    resourceTemplates: (given = NO_OPTIONS) => all(given, (server) => server.available('resourceTemplates')),

    async callTool(ref, args = {}, callOptions: ToolCallOptions = NO_OPTIONS) {
      checkRef('callTool', ref, TOOL_REF);
      checkRecord('callTool', 'second argument', args);
      const { server: name, tool } = ref;
      return use(name, callOptions, async (server) => {
        const definition = server.tool(tool);
        const { task } = callOptions;
        if (
          definition === undefined &&
          callOptions.unlisted !== 'send' &&
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
          session.callTool(tool, args, { definition, ...request });
        const method = 'tools/call';
        if (task === undefined)
          return server.call({ method, target: tool, options: callOptions, repeatable: isHarmless, send });
        checkTaskOptions(task);
        using opened = toolTasks.open(ref, task);
        return await server.call({
          method,
          target: tool,
          options: callOptions,
          // A task is resumed, not created again.
          get repeatable() {
            return isHarmless || opened.hasTask;
          },
          send: (session, request) => opened.send(session, request, (given) => send(session, given)),
        });
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
      const given = callOptions ?? NO_OPTIONS;
      return use(server, given, (connection) => connection.readResource(uri, given));
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
      call(
        server,
        method,
        undefined,
        callOptions,
        (session, { meta, headers }) =>
          session.notify(
            method,
            meta === undefined ? params : { ...params, _meta: { ...params._meta, ...meta } },
            { headers },
          ),
        false,
      ),
    async subscribe(ref, callOptions = {}) {
      checkRef('subscribe', ref, ['server', 'uri']);
      await use(ref.server, callOptions, (server) => server.subscribe(ref.uri, callOptions));
    },
    async unsubscribe(ref, callOptions = {}) {
      checkRef('unsubscribe', ref, ['server', 'uri']);
      await use(ref.server, callOptions, (server) => server.unsubscribe(ref.uri, callOptions));
    },
    setLogLevel: (name, level, callOptions = {}) =>
      use(name, callOptions, (server) => server.setLogLevel(level, callOptions)),

    async start(name, { signal, principal } = {}) {
      await use(name, { principal }, async (server) => {
        if (personOf({ principal }) === undefined) people.allow(name);
        await server.start(signal);
      });
    },
    async stop(name, { principal } = {}) {
      const person = personOf({ principal });
      const server = serverOf(name);
      if (person !== undefined) return people.drop(name, person);
      await Promise.all([server.stop('stopped'), people.stop(name)]);
    },
    async restart(name) {
      checkOpen();
      const server = serverOf(name);
      await Promise.all([server.stop('stopped'), people.dropAll(name)]);
      people.allow(name);
      await server.start();
    },
    enable: (name) => serverOf(name).enable(),
    async disable(name) {
      await Promise.all([serverOf(name).disable(), people.dropAll(name)]);
    },
    async remove(name) {
      const server = serverOf(name);
      servers.delete(name);
      scopes.delete(name);
      people.allow(name);
      await Promise.all([server.dispose(), people.dropAll(name)]);
    },

    async signIn(name, { signal, principal } = {}) {
      await use(name, { principal }, async (server) => {
        await server.signIn.signIn({ signal, challenge: server.authError?.challenge });
        server.forgetEra();
        await server.start(signal);
      });
    },
    async signOut(name, { principal } = {}) {
      await use(name, { principal }, async (server) => {
        await server.stop('stopped');
        await server.signIn.signOut();
        server.forget();
      });
      const person = personOf({ principal });
      if (person !== undefined) await people.drop(name, person);
    },

    async rootsChanged() {
      await Promise.all([...servers.values(), ...people.all()].map((server) => server.rootsChanged()));
    },
    statistics: () => statisticsOf([...servers.values()].map((server) => server.snapshot())),
    on: (event, listener) => emitter.on(event, listener),

    async close() {
      closed = true;
      await Promise.all([...Array.from(servers.values(), (server) => server.dispose()), people.dispose()]);
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
  return withInterception(host, interception);
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
