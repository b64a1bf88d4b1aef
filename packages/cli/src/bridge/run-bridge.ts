import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FittingsError, type AuthProvider, type Logger } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { aborted } from '@mcp-fittings/client-core/timing';
import { isLoopbackHost } from '@mcp-fittings/remote-policy';
import type { CommandContext } from '../command-context.js';
import { openSession } from '../commands/open-session.js';
import { loginArguments, namedServer } from '../composition/named-server.js';
import { namedStore } from '../composition/remembered-store.js';
import { secretsOf } from '../composition/secrets.js';
import type { Session } from '../composition/session.js';
import { errorLine, exitCodeOf } from '../output/error-report.js';
import type { BridgeFlags } from './command.js';
import { parseListenAddress, type ListenAddress } from './listen-address.js';
import { createOpenUpstream } from './open-upstream.js';
import { personAtHand } from './person-at-hand.js';
import { serveNetwork } from './serve-network.js';
import { serveStdio } from './serve-stdio.js';
import { createSignInOnce, type SignInOnce } from './sign-in-once.js';
import type { OpenUpstream } from './upstream.js';

/** Serves until the client or the person ends it. Does not reject: stdout is no place for an error. */
export async function runBridge(server: string, flags: BridgeFlags, context: CommandContext): Promise<void> {
  try {
    await bridge(server, flags, context);
  } catch (error) {
    if (context.signal.aborted) return;
    context.output.note(errorLine(error, context.output.noteStyle));
    context.setExitCode(exitCodeOf(error));
  }
}

async function bridge(server: string, flags: BridgeFlags, context: CommandContext): Promise<void> {
  const { signal, clock, output } = context;
  const logger = noteLogger(context);
  const person = flags.signIn ? personAtHand(context) : undefined;
  await using session = await openSession(context, {
    interaction: person,
    logger,
    // The variable is often set for the bridge only: a command to copy says it too.
    storeFlag: namedStore(context.options.store, context.env),
  });
  const open = openUpstreamOf(server, flags, session, context, logger, person !== undefined);
  const wire = flags.http === undefined ? 'ws' : 'http';
  const address = flags.http ?? flags.ws;

  if (address === undefined) {
    const { stdin, stdout } = context;
    if (context.interactive) {
      output.note(
        'Serving MCP on standard input and output, for a host that starts this command. Press Ctrl-C to stop.',
      );
    }
    return serveStdio({ open, stdin, stdout, logger, signal });
  }
  const listenAt = parseListenAddress(address);
  const given = await readToken(flags.tokenFile, context.env);
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

function openUpstreamOf(
  server: string,
  flags: BridgeFlags,
  session: Session,
  { clock, signal, env, output }: CommandContext,
  logger: Logger,
  isPersonThere: boolean,
): OpenUpstream {
  const { transports, store, auth: plugins } = session;
  const { name, config } = namedServer(server, flags, session.loaded, env);
  output.hide(secretsOf([config]));
  let auth: AuthProvider | undefined;
  for (const plugin of plugins) auth ??= plugin.create({ name, config }, { logger, clock });
  const url = config['url'];
  const signIn: SignInOnce | undefined =
    isPersonThere && auth?.signIn !== undefined && typeof url === 'string'
      ? createSignInOnce({ provider: auth, store, url, signal })
      : undefined;
  const loginCommand = session.loginCommand(loginArguments(server, flags));
  return createOpenUpstream({
    server: name,
    config,
    transports,
    auth,
    signIn,
    loginCommand,
    clock,
    logger,
    signal,
  });
}

/** What is wrong is for the person at once; the rest for `--verbose`. */
function noteLogger({ output }: CommandContext): Logger {
  const note = (message: string): void =>
    output.note(sanitizeText(message, { maxLength: 2000, multiline: true }));
  const detail = (message: string): void => output.detail(sanitizeText(message, { maxLength: 2000 }));
  return { debug: detail, info: detail, warn: note, error: note };
}

/** Every user of the machine can connect to a loopback port, so that there is always a token. */
function needsOwnToken(address: ListenAddress, wire: 'http' | 'ws'): boolean {
  return 'socketPath' in address ? wire === 'ws' : isLoopbackHost(address.host);
}

async function readToken(file: string | undefined, env: CommandContext['env']): Promise<string | undefined> {
  const token = file === undefined ? env['FITTINGS_BRIDGE_TOKEN'] : await readTokenFile(file);
  if (token === undefined || token.length >= SHORTEST_TOKEN) return token;
  throw new FittingsError('CONFIG_INVALID', `The token is shorter than ${SHORTEST_TOKEN} characters.`, {
    hint: 'Generate one, for example: openssl rand -hex 32',
  });
}

async function readTokenFile(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new FittingsError('CONFIG_INVALID', 'Cannot read the file given by --token-file.', { cause });
  }
}

const SHORTEST_TOKEN = 16;
