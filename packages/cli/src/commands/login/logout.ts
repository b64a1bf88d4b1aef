import { abortable } from '@mcp-fittings/client-core/timing';
import type { CommandContext } from '../../command-context.js';
import { shown } from '../../output/shown.js';
import { openSession } from '../open-session.js';

/** Without connecting: a sign-out has to work when the server does not. */
export async function logout(context: CommandContext, server: string): Promise<void> {
  const { output, signal } = context;
  await using session = await openSession(context);
  const { host } = session;
  await session.know([server]);
  await abortable(host.signOut(server), signal);
  output.result({ server, signedIn: false }, () => `Signed out of ${shown(server)}.`);
}
