import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { aborted } from '@mcp-fittings/toolbox/timing';
import { serverPermissions } from '@mcp-fittings/config';
import { createCallbackRouter } from '@mcp-fittings/gateway';
import { createToolPolicy } from '@mcp-fittings/tools';
import { announceToken, clientToken } from '../bridge/client-token.js';
import { parseListenAddress } from '../bridge/listen-address.js';
import { serveStdio } from '../bridge/serve-stdio.js';
import { serveWebSocket } from '../bridge/serve-websocket.js';
import { bridgeInteraction, createBridgeSignIn } from '../bridge/sign-in.js';
import type { HeldBack } from '../bridge/tool-gate.js';
import { createOpenUpstream } from '../bridge/upstream.js';
import type { CommandDeps } from '../command-deps.js';
import type { RemoteOptions } from '../options.js';
import { errorLine, exitCodeOf } from '../output/error-report.js';
import { CommandError } from '../output/hints.js';
import { noteLogger } from '../output/note-logger.js';
import { type CommandSession, createProvider, openSession } from '../session/open-session.js';
import { openPins, waitingTools } from '../session/pins.js';
import { loginArguments, resolveServer } from '../session/resolve-server.js';
import { entrySecrets } from '../session/secrets.js';
import { namedStore } from '../session/store-choice.js';
import { serveBridge, type ServeGatewayOptions } from './serve-gateway.js';

export interface BridgeOptions extends RemoteOptions, Omit<ServeGatewayOptions, 'stdio'> {
  readonly ws?: string;
  readonly signIn: boolean;
}

/** Serves until the client disconnects or the user stops it. Rejects only if it listens: else stdout is for messages. */
export async function runBridge(server: string, flags: BridgeOptions, deps: CommandDeps): Promise<void> {
  try {
    await bridge(server, flags, deps);
  } catch (error) {
    if (deps.signal.aborted) return;
    if (flags.http !== undefined || flags.ws !== undefined) throw error;
    deps.output.note(errorLine(error, deps.output.noteStyle));
    deps.exitCode = exitCodeOf(error);
  }
}

async function bridge(server: string, flags: BridgeOptions, deps: CommandDeps): Promise<void> {
  const { signal, clock, output, env, stdin, stdout } = deps;
  const { http, ws, tokenFile, allowOrigin, allowHost } = flags;
  const isForClients = tokenFile !== undefined || allowOrigin.length + allowHost.length > 0;
  if (isForClients && http === undefined && ws === undefined) {
    throw new CommandError(
      'ARGUMENTS_INVALID',
      '--token-file, --allow-origin and --allow-host apply only with --http or --ws.',
    );
  }
  const logger = noteLogger(output, ['warn', 'error']);
  const interaction = flags.signIn ? bridgeInteraction(deps) : undefined;
  const callbacks = createCallbackRouter({ clock });
  await using session = await openSession(
    deps,
    // The client of the bridge has its own roots and capabilities.
    { callbacks: callbacks.hostCallbacks, interaction, logger, mayShare: false },
    // FITTINGS_STORE is often set for the bridge only, so the sign-in command names the store.
    namedStore(deps.options.store, env),
  );
  const { name, config } = resolveServer(server, flags, session.loaded, env);
  output.hide(entrySecrets([config]));
  const auth = await createProvider(session, { name, config }, { logger, clock });
  const signIn = createBridgeSignIn({
    server: name,
    config,
    provider: interaction && auth,
    store: session.store,
    loginCommand: session.loginCommand(loginArguments(server, flags)),
    signal,
  });
  if (http !== undefined) {
    await serveBridge(deps, flags, { session, callbacks, name, config, signIn });
    return;
  }
  const open = createOpenUpstream({
    server: name,
    config,
    transports: session.transports,
    auth,
    signIn,
    heldBack: await heldBackOf(name, config, session, deps),
    clock,
    logger,
    signal,
  });
  if (ws !== undefined) {
    const address = parseListenAddress(ws);
    const token = await clientToken(tokenFile, env['FITTINGS_BRIDGE_TOKEN']);
    const served = await serveWebSocket({
      open,
      address,
      token: token.value,
      allowedOrigins: allowOrigin,
      allowedHosts: allowHost,
      clock,
      logger,
    });
    output.note(`Serving "${sanitizeText(server)}" at ${served.url}`);
    announceToken(token, output);
    await aborted(signal);
    await served.close();
    return;
  }
  if (deps.interactive) {
    output.note(
      'Serving MCP on standard input and output, for a host that starts this command. Press Ctrl-C to stop.',
    );
  }
  await serveStdio({ open, stdin, stdout, logger, signal });
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
