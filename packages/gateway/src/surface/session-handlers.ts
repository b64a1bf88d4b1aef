import type { ResourceRef } from '@mcp-fittings/host';
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { FittingsError } from '@mcp-fittings/client-core';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '@mcp-fittings/toolbox/logging';
import type { ExposedKind } from '../catalog/exposure.js';
import type { ClientConnection } from '../contracts/surface.js';
import type { ScopeListener, Watching } from './change-watch.js';
import { toProtocolError, unknownItem } from './protocol-errors.js';
import { paramsWith } from './request-params.js';
import type { SurfaceDeps } from './surface-deps.js';

/** What a session of the 2025 era keeps: what its client listens to. */
export interface Session {
  begin(): void;
  /** Call it when the client is told what the servers offer: from now on, it is told of changes. */
  introduced(): void;
  end(): void;
  /** Call it when the client has read a list. */
  listed(kind: ExposedKind): void;
}

/** Answers `resources/subscribe`, `resources/unsubscribe` and `logging/setLevel`, and tells the client what has changed. */
export function setSessionHandlers(server: Server, connection: ClientConnection, deps: SurfaceDeps): Session {
  const { caller, era } = connection;
  const { catalog, exposure, limits, servers, subscriptions, logLevels, changes, door } = deps;
  /** Subscribed resources, by the URI that the client uses. */
  const subscribed = new Map<string, ResourceRef>();
  let level: LogLevel | undefined;
  let watching: Watching | undefined;

  const notify = (method: string, params: Readonly<Record<string, unknown>> = {}): void => {
    server.notification({ method, params }).catch(() => undefined);
  };
  const listener: ScopeListener = {
    changed(kind) {
      // Before the handshake, the client is told nothing.
      if (server.getClientCapabilities() !== undefined) notify(`notifications/${kind}/list_changed`);
    },
    updated({ server: name, uri }) {
      for (const [used, ref] of subscribed) {
        if (ref.server === name && ref.uri === uri) notify('notifications/resources/updated', { uri: used });
      }
    },
    logged({ server: name, level: severity, logger, data }) {
      if (level === undefined || LOG_LEVELS.indexOf(severity) < LOG_LEVELS.indexOf(level)) return;
      if (!exposure.hasServer(connection, name)) return;
      const own = connection.mount.server === undefined ? [name, logger] : [logger];
      const source = own.filter((each) => each !== undefined).join('/');
      notify('notifications/message', { level: severity, data, ...(source !== '' && { logger: source }) });
    },
  };

  server.setRequestHandler('resources/subscribe', { params: paramsWith('uri') }, async ({ uri }) => {
    try {
      if (subscribed.has(uri)) return {};
      if (subscribed.size >= limits.subscriptions) {
        throw new FittingsError(
          'RATE_LIMITED',
          `A client can subscribe to ${limits.subscriptions} resources.`,
          {
            delivery: 'not-sent',
          },
        );
      }
      let ref = catalog.resourceRef(connection, uri);
      if (ref === undefined) {
        await servers.ready(exposure.servers(connection), caller.principal, limits.listMs);
        ref = catalog.resourceRef(connection, uri);
      }
      if (ref === undefined) throw unknownItem('resource', uri);
      subscribed.set(uri, ref);
      try {
        const added = ref;
        const request = { server: ref.server, method: 'resources/subscribe', target: ref.uri };
        await door(caller, request, () => subscriptions.add(added, caller.principal));
      } catch (error) {
        subscribed.delete(uri);
        throw error;
      }
      // The session has ended meanwhile.
      if (watching === undefined && subscribed.delete(uri)) await subscriptions.remove(ref, caller.principal);
      return {};
    } catch (error) {
      throw toProtocolError(error, era);
    }
  });

  server.setRequestHandler('resources/unsubscribe', { params: paramsWith('uri') }, async ({ uri }) => {
    const ref = subscribed.get(uri);
    if (ref === undefined) return {};
    const request = { server: ref.server, method: 'resources/unsubscribe', target: ref.uri };
    try {
      await door(caller, request, async () => {
        if (subscribed.delete(uri)) await subscriptions.remove(ref, caller.principal);
      });
      return {};
    } catch (error) {
      throw toProtocolError(error, era);
    }
  });

  server.setRequestHandler('logging/setLevel', { params: paramsWith('level') }, async (params) => {
    const wanted = params.level;
    if (!isLogLevel(wanted))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The log level is unknown.');
    const before = level;
    level = wanted;
    try {
      await logLevels.set(server, exposure.servers(connection), caller, wanted);
      return {};
    } catch (error) {
      level = before;
      throw toProtocolError(error, era);
    }
  });

  return {
    begin() {
      watching ??= changes.watch(connection, listener);
    },
    end() {
      watching?.[Symbol.dispose]();
      watching = undefined;
      logLevels.delete(server);
      for (const ref of subscribed.values()) void subscriptions.remove(ref, caller.principal);
      subscribed.clear();
    },
    introduced() {
      for (const kind of ['tools', 'prompts', 'resources'] as const) watching?.seen(kind);
    },
    listed: (kind) => watching?.seen(kind),
  };
}
