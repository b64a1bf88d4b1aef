import { resolve } from 'node:path';
import { escapeText } from '@mcp-fittings/toolbox/text';
import { type LoadedConfig, serverPermissions } from '@mcp-fittings/config';
import type { ResourceContents } from '@mcp-fittings/host';
import { createToolPolicy, renderForTerminal } from '@mcp-fittings/tools';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { writeOutput } from '../output/output.js';
import { printable } from '../output/printable.js';
import { openPrompts } from '../prompts/prompts.js';
import { openSession } from '../session/open-session.js';
import { connectTarget } from './target.js';

export interface ReadOptions {
  readonly output?: string;
}

export async function read(deps: CommandDeps, text: string, options: ReadOptions): Promise<void> {
  const { output, signal, cwd } = deps;
  await using session = await openSession(deps);
  const { host, loaded } = session;
  const offered = () => host.resources().map(({ server, uri }) => ({ server, name: uri }));
  const { server, name: uri } = await connectTarget(deps, session, text, 'resource', offered);
  await checkPermission(deps, { server, uri }, loaded);
  const { contents } = await host.readResource({ server, uri }, { signal });
  if (options.output !== undefined) {
    const file = resolve(cwd, options.output);
    const bytes = Buffer.concat(contents.map(bytesOf));
    await writeOutput(file, bytes);
    output.result(
      { server, uri, file, bytes: bytes.length },
      () => `Wrote ${bytes.length} bytes to ${printable(file)}`,
    );
    return;
  }
  output.result({ server, uri, contents }, () =>
    renderForTerminal({ content: contents.map((resource) => ({ type: 'resource', resource })) }),
  );
}

/**
 * Checks the permissions in the entry of the server: `deny` is refused; `ask` asks the user, and is refused without a
 * terminal. Without a rule, typing the command is the permission.
 */
async function checkPermission(
  deps: CommandDeps,
  resource: { readonly server: string; readonly uri: string },
  loaded: LoadedConfig,
): Promise<void> {
  const { decision, reason } = createToolPolicy({ servers: serverPermissions(loaded) }).forResource(resource);
  if (decision === 'allow' || decision === 'pass-through') return;
  const { server } = resource;
  if (decision === 'ask' && deps.interactive) {
    const prompts = await openPrompts(deps);
    const uri = escapeText(resource.uri, { maxLength: 1_000 });
    if (await prompts.confirm(`Read ${uri} from ${printable(server)}?`, false)) return;
  }
  throw new CommandError('POLICY_DENIED', reason, {
    server,
    delivery: 'not-sent',
    hint: 'Add it to "allowedResources" of the entry, or change "readPermission".',
  });
}

function bytesOf({ text, blob }: ResourceContents): Buffer {
  return text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text, 'utf8');
}
