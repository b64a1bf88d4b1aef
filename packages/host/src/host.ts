import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { afterTurn, RefusalPace } from '@mcp-fittings/toolbox/base-transport';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { settlesWithin, systemClock } from '@mcp-fittings/toolbox/timing';
import { createOperations, type RunOperation } from './operations.js';
import { ToolTasks } from './calls/tool-tasks.js';
import { ListBudget, Semaphore } from './limiters.js';
import type { CallOptions, Host, HostEvents } from './contracts/host.js';
import type { HostOptions } from './contracts/host-options.js';
import type { ServerSnapshot } from './contracts/state.js';
import { Tracer } from './tracing.js';
import { Emitter } from './events.js';
import { Interception } from './interception/interception.js';
import { native } from './native/engine.js';
import { createServer } from './server/create-server.js';
import { PrincipalServers } from './server/principal-servers.js';
import type { ServerConnection } from './server/server-connection.js';
import { statisticsOf } from './server/snapshot.js';
import type { HostDeps } from './setup/server-deps.js';
import { DEFAULT_LIMITS } from './setup/default-limits.js';
import {
  checkCallContext,
  checkEntries,
  checkListener,
  checkHostOptions,
  checkRef,
  checkText,
  unknownServer,
} from './check-arguments.js';

/** Milliseconds that a server waits with its start for the cached lists of the others. */
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
  const { logger, clock = systemClock, intercept = [] } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const emitter = new Emitter<HostEvents>((event, cause) => {
    logger?.error(`A listener for the "${event}" event of the host threw an error.`, { cause });
  });
  const toolTasks = new ToolTasks(emitter);
  const scopes = new Map<string, string | undefined>();
  const connectSlots = new Semaphore(limits.parallelConnects);
  const listBudget = new ListBudget(limits.listBytes);
  const servers = new Map<string, ServerConnection>();
  const interception =
    intercept.length === 0 ? undefined : new Interception([...intercept], clock, listBudget);
  const deps: HostDeps = {
    options,
    engine: options.engine ?? native(),
    clock,
    random: options.random,
    logger,
    limits,
    emitter,
    tracer: new Tracer(),
    listBudget,
    interception,
    acquireConnectSlot: (signal) => connectSlots.acquire(signal),
    scopes,
  };
  let closed = false;
  /** A program that calls again at once, without end, must not keep timers and sockets from their turn. */
  const refusals = new RefusalPace();

  const serverOf = (name: string): ServerConnection => {
    checkText('The name of a server', name);
    const server = servers.get(name);
    if (server === undefined) throw unknownServer(name, servers.keys());
    return server;
  };
  const checkOpen = (): void => {
    if (closed)
      throw new FittingsError('TRANSPORT_CLOSED', 'The host has been closed.', { delivery: 'not-sent' });
  };
  const principals = new PrincipalServers(deps);
  /** Returns the principal whose own connection is meant; undefined for the connection of the host. */
  const principalOf = ({ principal }: Pick<CallOptions, 'principal'>): string | undefined =>
    principal === options.principal ? undefined : principal;
  /** Runs `work` with the server, or with the connection of the principal whom the options name. */
  const use = async <T>(
    name: string,
    given: CallOptions,
    work: (server: ServerConnection) => Promise<T>,
  ): Promise<T> => {
    try {
      checkOpen();
      const server = serverOf(name);
      checkCallContext(name, given);
      const principal = principalOf(given);
      return await (principal === undefined ? work(server) : principals.use(name, server, principal, work));
    } catch (error) {
      await new Promise<void>((resolve) => refusals.run(resolve));
      throw error;
    }
  };
  const operation: RunOperation = (request, work) => {
    const { server: name, options: given } = request;
    if (interception === undefined) return use(name, given, (server) => work(server, request));
    const { timeoutMs = servers.get(name)?.settings.callMs ?? limits.callMs } = given;
    return interception.run(request, { timeoutMs, signal: given.signal }, (sent) =>
      use(name, sent.options, (server) => work(server, sent)),
    );
  };
  const all = <Item>(
    given: Pick<CallOptions, 'principal'>,
    lists: (server: ServerConnection) => readonly Item[],
  ): readonly Item[] => {
    const principal = principalOf(given);
    if (principal === undefined) return [...servers.values()].flatMap(lists);
    return [...servers.keys()].flatMap((name) => {
      const server = principals.find(name, principal);
      return server === undefined ? [] : lists(server);
    });
  };
  const snapshotOf = (name: string, given: Pick<CallOptions, 'principal'>): ServerSnapshot => {
    const principal = principalOf(given);
    const server = serverOf(name);
    if (principal === undefined) return server.snapshot();
    const own = principals.find(name, principal) ?? createServer(name, server.config, deps, principal);
    return own.snapshot();
  };
  const host: Host = {
    async connect(entries, { scopes: given = {} } = {}) {
      checkOpen();
      checkEntries(entries);
      for (const name of Object.keys(entries))
        scopes.set(name, Object.hasOwn(given, name) ? given[name] : undefined);
      const named = Object.entries(entries);
      const restored = named.map(async ([name, config]) => {
        const known = servers.get(name);
        if (known !== undefined && canonicalJson(known.config) === canonicalJson(config)) return;
        const created = createServer(name, config, deps);
        servers.set(name, created);
        principals.allow(name);
        await known?.dispose();
        await principals.dropAll(name);
        await created.restoreLists();
      });
      const mayStart = options.cache === undefined ? undefined : untilRestored(restored, clock);
      await Promise.all(
        named.map(async ([name], index) => {
          await restored[index];
          await mayStart;
          const server = servers.get(name);
          if (server === undefined || server.settings.disabled || server.settings.lazy) return;
          const { supervisor } = server;
          if (supervisor.isStopped) return;
          // The outcome is the state of the server.
          supervisor.start().catch(() => undefined);
          await supervisor.firstOutcome();
        }),
      );
      return named.flatMap(([name]) => servers.get(name)?.snapshot() ?? []);
    },
    async settled({ signal } = {}) {
      await Promise.all(Array.from(servers.values(), (server) => server.supervisor.settled(signal)));
      return host.servers();
    },
    servers: (given = {}) => Array.from(servers.keys(), (name) => snapshotOf(name, given)),
    server: (name, given = {}) => snapshotOf(name, given),

    tools: (given = {}) => all(given, (server) => server.available('tools')),
    tool(ref, given = {}) {
      checkRef('tool', ref, ['server', 'tool']);
      const principal = principalOf(given);
      const own = servers.get(ref.server);
      const server =
        principal === undefined || own === undefined ? own : principals.find(ref.server, principal);
      return server?.availableTool(ref.tool);
    },
    prompts: (given = {}) => all(given, (server) => server.available('prompts')),
    resources: (given = {}) => all(given, (server) => server.available('resources')),
    resourceTemplates: (given = {}) => all(given, (server) => server.available('resourceTemplates')),

    ...createOperations(operation, toolTasks),

    async start(name, { signal, principal } = {}) {
      await use(name, { principal }, async (server) => {
        if (principalOf({ principal }) === undefined) principals.allow(name);
        await server.supervisor.start(signal);
      });
    },
    async stop(name, { principal } = {}) {
      const own = principalOf({ principal });
      const server = serverOf(name);
      if (own !== undefined) return principals.drop(name, own);
      await Promise.all([server.supervisor.stop('stopped'), principals.stop(name)]);
    },
    async restart(name) {
      checkOpen();
      const server = serverOf(name);
      await Promise.all([server.supervisor.stop('stopped'), principals.dropAll(name)]);
      principals.allow(name);
      await server.supervisor.start();
    },
    enable: (name) => serverOf(name).supervisor.enable(),
    async disable(name) {
      await Promise.all([serverOf(name).supervisor.disable(), principals.dropAll(name)]);
    },
    async remove(name) {
      const server = serverOf(name);
      servers.delete(name);
      scopes.delete(name);
      principals.allow(name);
      await Promise.all([server.dispose(), principals.dropAll(name)]);
    },

    async signIn(name, { signal, principal } = {}) {
      await use(name, { principal }, async (server) => {
        await server.signIn.signIn({ signal, challenge: server.authError?.challenge });
        server.forgetEra();
        await server.supervisor.start(signal);
      });
    },
    async signOut(name, { principal } = {}) {
      await use(name, { principal }, async (server) => {
        await server.supervisor.stop('stopped');
        await server.signIn.signOut();
        server.forget();
      });
      const own = principalOf({ principal });
      if (own !== undefined) await principals.drop(name, own);
    },

    async rootsChanged() {
      await Promise.all([...servers.values(), ...principals.all()].map((server) => server.rootsChanged()));
    },
    statistics: () => statisticsOf([...servers.values()].map((server) => server.snapshot())),
    on(event, listener) {
      checkListener(event, listener);
      return emitter.on(event, listener);
    },

    async close() {
      closed = true;
      await Promise.all([
        ...Array.from(servers.values(), (server) => server.dispose()),
        principals.dispose(),
      ]);
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
  return host;
}

/**
 * Resolves when the cached lists are restored, or late, and the caller had a turn of the event loop to use them. Only then may the
 * first server start: starting 16 of them takes the event loop for 10 ms and more.
 */
async function untilRestored(restored: readonly Promise<void>[], clock: Clock): Promise<void> {
  await settlesWithin(RESTORE_MS, Promise.allSettled(restored), clock);
  // The second comes after the timers and immediates that have seen the first.
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => afterTurn(resolve));
}
