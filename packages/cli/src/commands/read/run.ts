import { resolve } from 'node:path';
import type { ResourceContents } from '@mcp-fittings/host';
import { renderForPerson } from '@mcp-fittings/tools';
import type { CommandContext } from '../../command-context.js';
import { writeOutput } from '../../output/write-output.js';
import { shown } from '../../output/shown.js';
import { openSession } from '../open-session.js';
import { connectTarget } from '../target.js';
import type { ReadOptions } from './command.js';

export async function read(context: CommandContext, text: string, options: ReadOptions): Promise<void> {
  const { output, signal, cwd } = context;
  await using session = await openSession(context);
  const { host } = session;
  const offered = () => host.resources().map(({ server, uri }) => ({ server, name: uri }));
  const { server, name: uri } = await connectTarget(context, session, text, 'resource', offered);
  const { contents } = await host.readResource({ server, uri }, { signal });
  if (options.output !== undefined) {
    const file = resolve(cwd, options.output);
    const bytes = Buffer.concat(contents.map(bytesOf));
    await writeOutput(file, bytes);
    output.result(
      { server, uri, file, bytes: bytes.length },
      () => `${bytes.length} bytes in ${shown(file)}`,
    );
    return;
  }
  output.result({ server, uri, contents }, () =>
    renderForPerson({ content: contents.map((resource) => ({ type: 'resource', resource })) }),
  );
}

function bytesOf({ text, blob }: ResourceContents): Buffer {
  return text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text, 'utf8');
}
