import { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/client-core/timing';
import type { CommandContext } from '../../command-context.js';
import { rememberStore } from '../../composition/remembered-store.js';
import { namedServer } from '../../composition/named-server.js';
import { secretsOf } from '../../composition/secrets.js';
import { shown } from '../../output/shown.js';
import { askForConsent } from '../../prompts/ask-for-consent.js';
import { whyNotConnected } from '../connect.js';
import { isNoSignIn, refusedHeader } from '../refused-header.js';
import { ofServer } from '../of-server.js';
import { openSession } from '../open-session.js';
import type { LoginOptions } from './command.js';
import { signInSurface } from './sign-in-surface.js';

/** As long as a person may take without saying so, seconds. */
const PATIENCE_S = 300;

export async function login(context: CommandContext, server: string, options: LoginOptions): Promise<void> {
  const { output, signal, env } = context;
  const limit = AbortSignal.timeout((options.timeout ?? PATIENCE_S) * 1000);
  await using session = await openSession(context, {
    interaction: signInSurface(context, options.method),
    plaintextConsent: askForConsent(context),
  });
  const { host } = session;
  const { name, config } = namedServer(server, options, session.loaded, env);
  output.hide(secretsOf([config]));
  await abortable(host.connect({ [name]: config }), signal);
  const { state: found } = host.server(server);
  const before = found.status;
  const refused = before === 'needs-auth' ? refusedHeader(server, config, found.error) : undefined;
  if (before === 'connected') {
    output.result(
      { server, signedIn: false, status: before },
      () => `${shown(server)} is already connected: no sign-in is required.`,
    );
    return;
  }
  if (before !== 'needs-auth' && before !== 'disconnected') {
    const problem = whyNotConnected(host.server(server), session);
    if (problem !== undefined) throw problem;
  }
  try {
    await host.signIn(server, { signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    // There was no sign-in, so that it is the header that the server wants.
    if (refused !== undefined && isNoSignIn(error)) throw refused;
    if (!limit.aborted || signal.aborted) throw ofServer(error, server);
    throw new FittingsError('TIMEOUT', `The sign-in to "${server}" timed out.`, {
      server,
      cause: error,
      hint: 'Sign in again; --timeout allows more time.',
    });
  }
  if (context.options.store !== undefined) await rememberStore(context.options.store);
  const { state, counts } = host.server(server);
  output.result({ server, signedIn: true, status: state.status, tools: counts.tools }, () =>
    output.style.green(
      `Signed in to ${shown(server)}: ${counts.tools} ${counts.tools === 1 ? 'tool' : 'tools'}.`,
    ),
  );
}
