import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/client-core/text';
import { permissionsOf, type LoadedConfig } from '@mcp-fittings/config';
import type { ResourceContents } from '@mcp-fittings/host';
import { createPolicy, renderForPerson } from '@mcp-fittings/tools';
import type { CommandContext } from '../../command-context.js';
import { writeOutput } from '../../output/write-output.js';
import { shown } from '../../output/shown.js';
import { openPrompts } from '../../prompts/prompts.js';
import { openSession } from '../open-session.js';
import { connectTarget } from '../target.js';
import type { ReadOptions } from './command.js';

export async function read(context: CommandContext, text: string, options: ReadOptions): Promise<void> {
  const { output, signal, cwd } = context;
  await using session = await openSession(context);
  const { host, loaded } = session;
  const offered = () => host.resources().map(({ server, uri }) => ({ server, name: uri }));
  const { server, name: uri } = await connectTarget(context, session, text, 'resource', offered);
  await checkPermission(context, { server, uri }, loaded);
  const { contents } = await host.readResource({ server, uri }, { signal });
  if (options.output !== undefined) {
    const file = resolve(cwd, options.output);
    const bytes = Buffer.concat(contents.map(bytesOf));
    await writeOutput(file, bytes);
    output.result(
      { server, uri, file, bytes: bytes.length },
      () => `Wrote ${bytes.length} bytes to ${shown(file)}`,
    );
    return;
  }
  output.result({ server, uri, contents }, () =>
    renderForPerson({ content: contents.map((resource) => ({ type: 'resource', resource })) }),
  );
}

/**
 * The entry of a server decides whether its resources are read: `deny` is refused, `ask` asks the user, and is refused
 * where nobody can be asked. Without a rule the command itself is the decision.
 */
async function checkPermission(
  context: CommandContext,
  resource: { readonly server: string; readonly uri: string },
  loaded: LoadedConfig,
): Promise<void> {
  const { decision, reason } = createPolicy({ servers: permissionsOf(loaded) }).forResource(resource);
  if (decision === 'allow' || decision === 'pass-through') return;
  const { server } = resource;
  if (decision === 'ask' && context.interactive) {
    const prompts = await openPrompts(context);
    const uri = escapeText(resource.uri, { maxLength: 1_000 });
    if (await prompts.confirm(`Read ${uri} from ${shown(server)}?`, false)) return;
  }
  throw new FittingsError('POLICY_DENIED', reason, {
    server,
    delivery: 'not-sent',
    hint: 'Add it to "allowedResources" of the entry, or change "readPermission".',
  });
}

function bytesOf({ text, blob }: ResourceContents): Buffer {
  return text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text, 'utf8');
}
