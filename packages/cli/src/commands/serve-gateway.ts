import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { abortable, aborted } from '@mcp-fittings/toolbox/timing';
import { serverPermissions } from '@mcp-fittings/config';
import {
  type CallbackRouter,
  type GatewayListener,
  type UpstreamSignIn,
  bearerToken,
  createCallbackRouter,
  createGateway,
} from '@mcp-fittings/gateway';
import type { ServerSnapshot } from '@mcp-fittings/host';
import { createToolPolicy, type ToolPolicy } from '@mcp-fittings/tools';
import { announceToken, type ClientToken, clientToken } from '../bridge/client-token.js';
import { textForUser } from '../bridge/error-responses.js';
import { checkHostNames, parseListenAddress, socketUrl } from '../bridge/listen-address.js';
import type { BridgeSignIn } from '../bridge/sign-in.js';
import type { CommandDeps } from '../command-deps.js';
import { errorLine } from '../output/error-report.js';
import { CommandError } from '../output/hints.js';
import { noteLogger } from '../output/note-logger.js';
import { printable } from '../output/printable.js';
import { refuseUnread } from './config-notes.js';
import { type CommandSession, openSession } from '../session/open-session.js';
import { openPins, type UserPins, waitingTools } from '../session/pins.js';
import { packageVersion } from '../own-files.js';

/** Options of the commands that serve a gateway: the place where it listens, and its clients. */
export interface ServeGatewayOptions {
  readonly http?: string;
  readonly stdio?: true;
  readonly tokenFile?: string;
  readonly allowOrigin: readonly string[];
  readonly allowHost: readonly string[];
}

/**
 * Serves the named servers, or all that are enabled and approved, as one MCP server, until the user stops it or the client disconnects.
 * Tools that the configuration denies are left out, and those that it asks for ask the client.
 */
export async function serveGateway(
  deps: CommandDeps,
  names: readonly string[],
  options: ServeGatewayOptions,
): Promise<void> {
  const callbacks = createCallbackRouter({ clock: deps.clock });
  await using session = await openSession(deps, {
    callbacks: callbacks.hostCallbacks,
    logger: noteLogger(deps.output, ['warn', 'error']),
    // Each client has its own roots.
    mayShare: false,
  });
  const token = await tokenOf(options, deps.env['FITTINGS_SERVE_TOKEN']);
  const connecting = session.connect(names.length === 0 ? undefined : names);
  const snapshots = await abortable(connecting, deps.signal);
  if (snapshots.length === 0) refuseUnread(session.loaded, 'served');
  await serveSnapshots(deps, options, {
    session,
    callbacks,
    snapshots,
    servers: session.loaded.servers,
    token,
  });
}

/** The one server of a bridge. */
export interface BridgedServer {
  readonly name: string;
  readonly config: ServerConfig;
  readonly signIn: BridgeSignIn;
}

/**
 * Serves one server over HTTP at an address of its own, under its own names, until the user stops it. Rejects with `ARGUMENTS_INVALID` for a URL
 * with a secret, which clients and proxies would log with the address.
 */
export async function serveBridge(
  deps: CommandDeps,
  options: ServeGatewayOptions,
  { name, config, signIn, ...common }: BridgedServer & Pick<Served, 'session' | 'callbacks'>,
): Promise<void> {
  const { host } = common.session;
  if (deps.output.redact(name) !== name) {
    throw new CommandError(
      'ARGUMENTS_INVALID',
      'The URL of the server contains a secret, and would be a part of the address of the bridge.',
      { hint: "Write the secret as a variable, for example 'https://mcp.example.com/mcp?key=${KEY}'." },
    );
  }
  const token = await tokenOf(options, deps.env['FITTINGS_BRIDGE_TOKEN']);
  const servers = { [name]: config };
  const snapshots = await abortable(host.connect(servers), deps.signal);
  await serveSnapshots(deps, options, {
    ...common,
    snapshots,
    servers,
    token,
    only: name,
    signIn: {
      async open() {
        const { state } = host.server(name);
        if (state.status !== 'needs-auth') return;
        await signIn(state.error).catch((error: unknown) => {
          if (!(error instanceof FittingsError)) throw error;
          // Many clients show nothing but the message.
          throw new CommandError(error.code, textForUser(error), { server: name, cause: error });
        });
        await host.start(name);
      },
      respond: async () => undefined,
    },
  });
}

/** The servers of a gateway, and the access to them. */
interface Served {
  readonly session: CommandSession;
  readonly callbacks: CallbackRouter;
  readonly snapshots: readonly ServerSnapshot[];
  /** Entries whose permissions hold. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  readonly token: ClientToken | undefined;
  /** The server at whose own address clients connect. Default: they use that of all servers. */
  readonly only?: string;
  readonly signIn?: UpstreamSignIn;
}

async function serveSnapshots(
  deps: CommandDeps,
  options: ServeGatewayOptions,
  { session, callbacks, snapshots, servers, token, only, signIn }: Served,
): Promise<void> {
  const { output, signal, clock, stdin, stdout } = deps;
  for (const snapshot of snapshots) reportUnlessConnected(deps, snapshot);
  await using gateway = createGateway(session.host, {
    callbacks,
    policy: withPins(
      createToolPolicy({ servers: serverPermissions({ servers }) }),
      await openPins(deps, session),
      (error) => output.note(errorLine(error, output.noteStyle)),
    ),
    serverInfo: { name: 'fittings', version: packageVersion() },
    allowedOrigins: options.allowOrigin,
    allowedHosts: options.allowHost,
    status: true,
    signIn,
    clock,
    logger: noteLogger(output, ['warn', 'error']),
    ...(token !== undefined && { access: bearerToken(token.value) }),
  });
  const served = snapshots.map(({ name }) => name);
  if (options.stdio === true) {
    output.note(`Serving ${described(served)} on standard input and output.`);
    await gateway.serveStdio({ input: stdin, output: stdout, signal });
    return;
  }
  const address = parseListenAddress(options.http ?? '');
  checkHostNames(address, options.allowHost);
  await using listener = await gateway.listen(address);
  const url = urlOf(listener, only);
  output.event({ url, servers: served }, () => `Serving ${described(served)} at ${printable(url)}`);
  if (token !== undefined) announceToken(token, output);
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
      const reason = held instanceof FittingsError ? textForUser(held) : held.message;
      return { decision: 'deny', rule: 'changed-tool', reason };
    },
  };
}

/** A socket needs no token, because only its owner can connect. A port gets a new one if none is given. */
async function tokenOf(
  { stdio, http = '', tokenFile: file }: ServeGatewayOptions,
  variable: string | undefined,
): Promise<ClientToken | undefined> {
  if (stdio === true) return undefined;
  const token = await clientToken(file, variable);
  return token.isNew && 'socketPath' in parseListenAddress(http) ? undefined : token;
}

function urlOf({ address, url }: GatewayListener, only: string | undefined): string {
  const whole = only === undefined ? url : `${url}/${encodeURIComponent(only)}`;
  return 'socketPath' in address ? socketUrl(address.socketPath, new URL(whole).pathname) : whole;
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
