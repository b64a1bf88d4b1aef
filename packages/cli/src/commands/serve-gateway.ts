import { randomBytes } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import { aborted } from '@mcp-fittings/toolbox/timing';
import { serverPermissions } from '@mcp-fittings/config';
import {
  type Gateway,
  type GatewayListener,
  bearerToken,
  createCallbackRouter,
  createGateway,
} from '@mcp-fittings/gateway';
import type { ServerSnapshot } from '@mcp-fittings/host';
import { createToolPolicy, type ToolPolicy } from '@mcp-fittings/tools';
import { readClientToken } from '../bridge/client-token.js';
import { parseListenAddress } from '../bridge/listen-address.js';
import type { CommandDeps } from '../command-deps.js';
import { errorLine } from '../output/error-report.js';
import { noteLogger } from '../output/note-logger.js';
import { printable } from '../output/printable.js';
import { refuseUnread } from './config-notes.js';
import { openSession } from '../session/open-session.js';
import { openPins, type UserPins, waitingTools } from '../session/pins.js';
import { packageVersion } from '../version.js';

/** Options of `fittings serve` with `--http` or `--stdio`. */
export interface ServeGatewayOptions {
  readonly http?: string;
  readonly stdio?: true;
  readonly tokenFile?: string;
  readonly allowOrigin: readonly string[];
  readonly allowHost: readonly string[];
}

/** Fewest characters of a token, as {@link bearerToken} requires. */
const SHORTEST_TOKEN = 32;

/**
 * Serves the named servers, or all that are enabled and approved, as one MCP server, until the user stops it or the client disconnects.
 * Tools that the configuration denies are left out, and those that it asks for ask the client.
 */
export async function serveGateway(
  deps: CommandDeps,
  names: readonly string[],
  options: ServeGatewayOptions,
): Promise<void> {
  const { output, signal, clock, stdin, stdout } = deps;
  const logger = noteLogger(deps);
  const callbacks = createCallbackRouter({ clock });
  await using session = await openSession(deps, {
    callbacks: callbacks.hostCallbacks,
    logger,
    // Each client has its own roots.
    mayShare: false,
  });
  const token = options.stdio === true ? undefined : await tokenOf(options, deps);
  const snapshots = await session.connect(names.length === 0 ? undefined : names);
  if (snapshots.length === 0) refuseUnread(session.loaded, 'served');
  for (const snapshot of snapshots) reportUnlessConnected(deps, snapshot);
  await using gateway = createGateway(session.host, {
    callbacks,
    policy: withPins(
      createToolPolicy({ servers: serverPermissions(session.loaded) }),
      await openPins(deps, session),
      (error) => output.note(errorLine(error, output.noteStyle)),
    ),
    serverInfo: { name: 'fittings', version: packageVersion() },
    allowedOrigins: options.allowOrigin,
    allowedHosts: options.allowHost,
    status: true,
    clock,
    logger,
    ...(token !== undefined && { access: bearerToken(token.value) }),
  });
  const served = snapshots.map(({ name }) => name);
  if (options.stdio === true) {
    output.note(`Serving ${described(served)} on standard input and output.`);
    await gateway.serveStdio({ input: stdin, output: stdout, signal });
    return;
  }
  await using listener = await listen(gateway, options.http ?? '');
  const url = urlOf(listener);
  output.event({ url, servers: served }, () => `Serving ${described(served)} at ${printable(url)}`);
  if (token?.isNew === true)
    output.note(`Clients must send this header: Authorization: Bearer ${token.value}`);
  if (token !== undefined) output.hide([token.value]);
  await aborted(signal);
}

/** Denies what changed since the user agreed to it. The client is not asked: the user agrees with `fittings pins`. */
function withPins(policy: ToolPolicy, user: UserPins, note: (error: FittingsError) => void): ToolPolicy {
  /** Says why no tool of a server may be called: its pins could not be stored. */
  const failed = new Map<string, Error>();
  const noted = new Set<string>();
  const review = (name: string): ReadonlyMap<string, Error> | Error => {
    const server = user.server(name);
    try {
      const waiting = waitingTools(user, server);
      for (const error of waiting.values()) {
        if (!noted.has(error.message)) note(error);
        noted.add(error.message);
      }
      user.pins.settled(server).then(
        () => failed.delete(name),
        (error: unknown) => failed.set(name, error instanceof Error ? error : new Error(String(error))),
      );
      return failed.get(name) ?? waiting;
    } catch (error) {
      if (error instanceof FittingsError) return error;
      throw error;
    }
  };
  /** Kept for one list, which asks for each of its tools. */
  const reviewed = new Map<string, ReturnType<typeof review>>();
  return {
    ...policy,
    forTool(tool) {
      const verdict = policy.forTool(tool);
      if (verdict.decision === 'deny') return verdict;
      if (reviewed.size === 0) queueMicrotask(() => reviewed.clear());
      const found = reviewed.get(tool.server) ?? review(tool.server);
      reviewed.set(tool.server, found);
      const held = found instanceof Error ? found : found.get(tool.name);
      if (held === undefined) return verdict;
      const hint = held instanceof FittingsError ? held.hint : undefined;
      const reason = hint === undefined ? held.message : `${held.message} ${hint}`;
      return { decision: 'deny', rule: 'changed-tool', reason };
    },
  };
}

/** A socket needs no token, because only its owner can connect. A port gets a new one if none is given. */
async function tokenOf(
  { http = '', tokenFile }: ServeGatewayOptions,
  { env }: CommandDeps,
): Promise<{ readonly value: string; readonly isNew: boolean } | undefined> {
  const given = await readClientToken({
    file: tokenFile,
    variable: env['FITTINGS_SERVE_TOKEN'],
    minLength: SHORTEST_TOKEN,
  });
  if (given !== undefined) return { value: given, isNew: false };
  if ('socketPath' in parseListenAddress(http)) return undefined;
  return { value: randomBytes(32).toString('base64url'), isNew: true };
}

function listen(gateway: Gateway, address: string): Promise<GatewayListener> {
  return gateway.listen(parseListenAddress(address));
}

function urlOf({ address, url }: GatewayListener): string {
  return 'socketPath' in address ? `unix:${address.socketPath}` : url;
}

function described(names: readonly string[]): string {
  const [only] = names;
  return names.length === 1 && only !== undefined ? `"${printable(only)}"` : `${names.length} servers`;
}

/** The others are served; this one is as soon as it connects. */
function reportUnlessConnected({ output }: CommandDeps, { name, state }: ServerSnapshot): void {
  if (state.status === 'connected') return;
  const why = 'error' in state && state.error !== undefined ? `: ${state.error.message}` : '';
  output.note(printable(`The server "${name}" is not connected (${state.status})${why}`, 2_000));
}
