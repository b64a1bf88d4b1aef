import { randomBytes } from 'node:crypto';
import { FittingsError, type Logger, type ServerConfig } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { aborted } from '@mcp-fittings/toolbox/timing';
import { serverPermissions } from '@mcp-fittings/config';
import { createToolPolicy } from '@mcp-fittings/tools';
import { readClientToken } from '../bridge/client-token.js';
import { type ListenAddress, parseListenAddress } from '../bridge/listen-address.js';
import { serveNetwork } from '../bridge/serve-network.js';
import { serveStdio } from '../bridge/serve-stdio.js';
import { type SignInOnce, createSignInOnce, bridgeInteraction } from '../bridge/sign-in.js';
import type { HeldBack } from '../bridge/tool-gate.js';
import { type OpenUpstream, createOpenUpstream } from '../bridge/upstream.js';
import type { CommandDeps } from '../command-deps.js';
import type { RemoteOptions } from '../options.js';
import { errorLine, exitCodeOf } from '../output/error-report.js';
import { noteLogger } from '../output/note-logger.js';
import { type CommandSession, createProvider, openSession } from '../session/open-session.js';
import { openPins, waitingTools } from '../session/pins.js';
import { loginArguments, resolveServer } from '../session/resolve-server.js';
import { entrySecrets } from '../session/secrets.js';
import { namedStore } from '../session/store-choice.js';

export interface BridgeOptions extends RemoteOptions {
  readonly http?: string;
  readonly ws?: string;
  readonly path: string;
  readonly tokenFile?: string;
  readonly allowOrigin: readonly string[];
  readonly allowHost: readonly string[];
  readonly signIn: boolean;
}

/**
 * Serves until the client disconnects or the user stops it. Does not reject: errors go to stderr, because stdout is for
 * messages.
 */
export async function runBridge(server: string, flags: BridgeOptions, deps: CommandDeps): Promise<void> {
  try {
    await bridge(server, flags, deps);
  } catch (error) {
    if (deps.signal.aborted) return;
    deps.output.note(errorLine(error, deps.output.noteStyle));
    deps.setExitCode(exitCodeOf(error));
  }
}

async function bridge(server: string, flags: BridgeOptions, deps: CommandDeps): Promise<void> {
  const { signal, clock, output } = deps;
  const logger = noteLogger(deps);
  const interaction = flags.signIn ? bridgeInteraction(deps) : undefined;
  await using session = await openSession(
    deps,
    // The client of the bridge has its own roots and capabilities.
    { interaction, logger, mayShare: false },
    // FITTINGS_STORE is often set for the bridge only, so the sign-in command names the store.
    namedStore(deps.options.store, deps.env),
  );
  const open = await openUpstreamOf(server, flags, session, deps, logger, interaction !== undefined);
  const wire = flags.http === undefined ? 'ws' : 'http';
  const address = flags.http ?? flags.ws;

  if (address === undefined) {
    const { stdin, stdout } = deps;
    if (deps.interactive) {
      output.note(
        'Serving MCP on standard input and output, for a host that starts this command. Press Ctrl-C to stop.',
      );
    }
    return serveStdio({ open, stdin, stdout, logger, signal });
  }
  const listenAt = parseListenAddress(address);
  const given = await readClientToken({
    file: flags.tokenFile,
    variable: deps.env['FITTINGS_BRIDGE_TOKEN'],
    minLength: SHORTEST_TOKEN,
  });
  const token = given ?? (needsOwnToken(listenAt, wire) ? randomBytes(32).toString('base64url') : undefined);
  const served = await serveNetwork({
    open,
    address: listenAt,
    wire,
    path: flags.path,
    token,
    allowedOrigins: flags.allowOrigin,
    allowedHosts: flags.allowHost,
    clock,
    logger,
  });
  output.note(`Serving "${sanitizeText(server)}" at ${served.url}`);
  if (given === undefined && token !== undefined) {
    output.note(`Clients must send this header: Authorization: Bearer ${token}`);
  }
  if (token !== undefined) output.hide([token]);
  await aborted(signal);
  await served.close();
}

async function openUpstreamOf(
  server: string,
  flags: BridgeOptions,
  session: CommandSession,
  deps: CommandDeps,
  logger: Logger,
  canSignIn: boolean,
): Promise<OpenUpstream> {
  const { clock, signal, env, output } = deps;
  const { transports, store } = session;
  const { name, config } = resolveServer(server, flags, session.loaded, env);
  output.hide(entrySecrets([config]));
  const auth = await createProvider(session, { name, config }, { logger, clock });
  const url = config['url'];
  const signIn: SignInOnce | undefined =
    canSignIn && auth?.signIn !== undefined && typeof url === 'string'
      ? createSignInOnce({ provider: auth, store, url, signal })
      : undefined;
  const loginCommand = session.loginCommand(loginArguments(server, flags));
  return createOpenUpstream({
    server: name,
    config,
    transports,
    auth,
    signIn,
    heldBack: await heldBackOf(name, config, session, deps),
    loginCommand,
    clock,
    logger,
    signal,
  });
}

/** Returns what the user denies, and what changed since the user agreed to it. A client of the bridge asks about everything else. */
async function heldBackOf(
  name: string,
  config: ServerConfig,
  session: CommandSession,
  deps: CommandDeps,
): Promise<HeldBack> {
  const user = await openPins(deps, session);
  const policy = createToolPolicy({ servers: serverPermissions({ servers: { [name]: config } }) });
  return async (tools) => {
    const held = new Map(waitingTools(user, { name, tools }));
    await user.pins.settled({ name, tools });
    for (const tool of tools) {
      const { decision, reason } = policy.forTool(tool);
      if (decision === 'deny')
        held.set(
          tool.name,
          new FittingsError('POLICY_DENIED', reason, { server: name, delivery: 'not-sent' }),
        );
    }
    return held;
  };
}

/** Every user of the machine can connect to a loopback port. */
function needsOwnToken(address: ListenAddress, wire: 'http' | 'ws'): boolean {
  return 'socketPath' in address ? wire === 'ws' : isLoopbackHost(address.host);
}

const SHORTEST_TOKEN = 16;
