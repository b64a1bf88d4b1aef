import { abortable } from '@mcp-fittings/client-core/timing';
import type { RemoteFlags } from '../../arguments/remote-options.js';
import type { CommandContext } from '../../command-context.js';
import { namedServer } from '../../composition/named-server.js';
import { secretsOf } from '../../composition/secrets.js';
import { shown } from '../../output/shown.js';
import { openSession } from '../open-session.js';

/** Without connecting: a sign-out has to work when the server does not. */
export async function logout(context: CommandContext, server: string, flags: RemoteFlags): Promise<void> {
  const { output, signal, env } = context;
  await using session = await openSession(context);
  const { host } = session;
  const { name, config } = namedServer(server, flags, session.loaded, env);
  output.hide(secretsOf([config]));
  await host.connect({ [name]: { ...config, lazy: true } });
  await abortable(host.signOut(server), signal);
  output.result({ server, signedIn: false }, () => `Signed out of ${shown(server)}.`);
}
