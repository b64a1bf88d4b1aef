import { setImmediate as nextTurn } from 'node:timers/promises';
import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { AccessDecision } from './contracts/access.js';
import type { Caller, Mount } from './contracts/caller.js';
import type { Gateway, GatewayListener } from './contracts/gateway.js';
import type { GatewayOptions } from './contracts/gateway-options.js';
import type { Surface } from './contracts/surface.js';
import { type Authenticate, HttpHandler, refuseEveryone } from './http/http-handler.js';
import { checkExposure, listen } from './pipes/listen.js';
import { serveStdio } from './pipes/stdio.js';
import type { SharedSessions } from './state/shared-sessions.js';

const MIB = 1024 * 1024;
const HALF_AN_HOUR = 1_800_000;

/** Options of the gateway about clients: who they are, and how they connect. */
export interface FrontDoorOptions extends Omit<GatewayOptions, 'sessions'> {
  /** Limits of sessions, and those that all replicas share. Default: a session ends with this process. */
  readonly sessions?:
    (GatewayOptions['sessions'] & { readonly shared?: SharedSessions | undefined }) | undefined;
}

/**
 * Offers a surface over HTTP, sockets and stdio. `serves` says whether there is anything for a caller at a mount. Throws `CONFIG_INVALID`.
 */
export function createFrontDoors(
  surface: Surface,
  serves: (caller: Caller, mount: Mount) => boolean,
  options: FrontDoorOptions,
): Gateway {
  checkOptions(options);
  const { access, trustedCaller, signIn, owner = { id: 'owner' }, basePath = '/mcp' } = options;
  const { allowedHosts = [], clock = systemClock, logger, sessions = {} } = options;
  const { maxBodyBytes = 16 * MIB, closeTimeoutMs = 2000 } = options;
  const http = new HttpHandler({
    surface,
    serves,
    pages: [
      ...(access?.respond ? [{ respond: access.respond.bind(access) }] : []),
      ...(signIn ? [signIn] : []),
      ...(options.pages ?? []),
    ],
    basePath,
    allowedHosts,
    allowedOrigins: options.allowedOrigins ?? [],
    sessions: {
      max: sessions.max ?? 1000,
      maxPerCaller: sessions.maxPerCaller ?? 100,
      idleMs: sessions.idleMs ?? HALF_AN_HOUR,
      resumeMs: sessions.resumeMs ?? 60_000,
      resumeLength: sessions.resumeLength ?? MIB,
      shared: sessions.shared,
    },
    maxBodyBytes,
    maxUnreadBytes: options.maxUnreadBytes ?? 16 * MIB,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    clock,
    logger,
  });
  const authenticate = authenticateWith(access, trustedCaller);
  const asOwner = async (): Promise<{ readonly caller: Caller }> => ({ caller: owner });
  const listeners = new Set<GatewayListener>();
  const ending = new AbortController();
  const pipes = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  const end = async (): Promise<void> => {
    // The listeners wait for their last responses, which exist once the calls are withdrawn.
    const closed = Promise.all([...listeners].map((listener) => listener.close()));
    await surface.close();
    // Lets the errors of withdrawn calls reach their responses.
    await nextTurn();
    ending.abort();
    http.close();
    await Promise.all([closed, ...pipes]);
  };
  const close = (): Promise<void> => (closing ??= end());
  const checkOpen = (): void => {
    if (closing !== undefined) throw new FittingsError('TRANSPORT_CLOSED', 'The gateway is closed.');
  };

  return {
    fetch: (request) => http.fetch(request, authenticate),
    listener: http.listener(authenticate),
    async listen(address) {
      checkOpen();
      checkExposure(address, { hasAccess: access !== undefined, allowedHosts });
      const isPort = 'port' in address;
      const listener = await listen(address, {
        listener: http.listener(isPort ? authenticate : asOwner),
        basePath,
        closeTimeoutMs,
        clock,
      });
      if (closing !== undefined) await listener.close();
      checkOpen();
      listeners.add(listener);
      return listener;
    },
    async serveStdio(stdio = {}) {
      checkOpen();
      const { mount = {}, signal } = stdio;
      if (!serves(owner, mount)) {
        throw new FittingsError('SERVER_UNKNOWN', `The host has no server ${JSON.stringify(mount.server)}.`);
      }
      const served = serveStdio({
        ...stdio,
        signal: signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]),
        surface,
        caller: owner,
        maxMessageBytes: maxBodyBytes,
        clock,
        logger,
      }).finally(() => pipes.delete(served));
      pipes.add(served);
      await served;
    },
    load: () => http.load(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function authenticateWith(
  access: FrontDoorOptions['access'],
  trustedCaller: FrontDoorOptions['trustedCaller'],
): Authenticate {
  if (access !== undefined) return async (request) => decided(await access.authenticate(request));
  if (trustedCaller === undefined) return refuseEveryone;
  return async (request) =>
    decided({ caller: typeof trustedCaller === 'function' ? trustedCaller(request) : trustedCaller });
}

/** Returns the decision of the program. Throws, which refuses the request, if it names neither a caller nor a response. */
function decided(decision: unknown): AccessDecision {
  if (isDecision(decision)) return decision;
  throw new FittingsError(
    'CALLBACK_FAILED',
    'The access of the gateway named neither a caller nor a refusal.',
    {
      hint: 'Return `{ caller: { id } }`, with a number as `expiresAt` if it expires, or `{ refusal }` with a Response.',
    },
  );
}

function isDecision(decision: unknown): decision is AccessDecision {
  if (!isRecord(decision)) return false;
  if ('refusal' in decision) return decision['refusal'] instanceof Response;
  const { caller, expiresAt = 0 } = decision;
  if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) return false;
  return isRecord(caller) && typeof caller['id'] === 'string';
}

function checkOptions(options: FrontDoorOptions): void {
  const { access, trustedCaller, basePath = '/mcp', allowedOrigins = [], allowedHosts = [] } = options;
  const invalid = (message: string, hint: string): FittingsError =>
    new FittingsError('CONFIG_INVALID', message, { hint });
  if (access !== undefined && trustedCaller !== undefined) {
    throw invalid('`access` and `trustedCaller` exclude each other.', 'Set one of them.');
  }
  if (!/^(?:\/[\w.~-]+)+$/.test(basePath)) {
    throw invalid('`basePath` must be a path without a slash at its end.', "For example: '/mcp'.");
  }
  for (const origin of allowedOrigins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin.toLowerCase()) continue;
    throw invalid(
      `${JSON.stringify(origin)} in \`allowedOrigins\` is not an origin.`,
      "For example: 'https://app.example.com'.",
    );
  }
  for (const host of allowedHosts) {
    if (URL.canParse(`http://${host}`) && new URL(`http://${host}`).pathname === '/' && !host.endsWith('/'))
      continue;
    throw invalid(
      `${JSON.stringify(host)} in \`allowedHosts\` is not a host name.`,
      "For example: 'mcp.example.com'.",
    );
  }
  const { max, maxPerCaller, idleMs, resumeLength } = options.sessions ?? {};
  const { maxBodyBytes, maxUnreadBytes, maxSubscriptions } = options;
  for (const [name, value] of Object.entries({
    max,
    maxPerCaller,
    idleMs,
    resumeLength,
    maxBodyBytes,
    maxUnreadBytes,
    maxSubscriptions,
  })) {
    if (value === undefined || value > 0) continue;
    throw invalid(`\`${name}\` must be a positive number.`, 'Omit it for its default.');
  }
}
