import { abortable } from '@mcp-fittings/client-core/timing';
import { sdk } from '@mcp-fittings/host/sdk-v2';
import type { CommandContext } from '../command-context.js';
import { openSession } from '../commands/open-session.js';
import { EXIT } from '../exit-codes.js';
import { shown } from '../output/shown.js';
import { openWaiting } from '../output/waiting.js';
import { packageVersion } from '../version.js';
import { diagnose } from './diagnose.js';
import type { Diagnosis } from './diagnosis.js';
import { reportText } from './report-text.js';

export async function runDoctor(
  server: string | undefined,
  timeoutMs: number,
  context: CommandContext,
): Promise<void> {
  const { env, clock, signal, output } = context;
  await using session = await openSession(context);
  const { loaded, transports, auth, store } = session;
  const engine = sdk({ name: 'fittings', version: packageVersion() });
  const names = server === undefined ? new Set(loaded.entries.map(({ name }) => name)) : [server];
  const options = { loaded, engine, transports, auth, store, env, timeoutMs, clock, signal };
  const waiting = new Set(names);
  const diagnosed = async (name: string): Promise<Diagnosis> => {
    output.detail(`Checking ${shown(name)}`);
    const diagnosis = await diagnose(name, options);
    waiting.delete(name);
    return diagnosis;
  };
  let servers: readonly Diagnosis[];
  {
    using _waiting = openWaiting(context, () => [...waiting]);
    servers = await abortable(Promise.all([...names].map(diagnosed)), signal);
  }
  // Those of a server are among its findings.
  const problems = loaded.problems.filter(
    ({ severity, server: whose }) => severity === 'error' && whose === undefined,
  );
  output.result({ servers, problems }, () => reportText(servers, problems, output.style));
  const isHealthy = problems.length === 0 && servers.every(({ healthy }) => healthy);
  context.setExitCode(isHealthy ? EXIT.ok : EXIT.failed);
}
