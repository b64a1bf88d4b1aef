import { resolve } from 'node:path';
import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { serverPermissions } from '@mcp-fittings/config';
import type { CatalogTool, ToolResult } from '@mcp-fittings/host';
import {
  createToolPolicy,
  createTools,
  naming,
  renderForPerson,
  type ToolEvent,
  type Toolset,
} from '@mcp-fittings/tools';
import { buildArguments } from '../../arguments/build-arguments.js';
import { missingArguments, usageOf } from '../../arguments/argument-text.js';
import { readTextArgument } from '../../arguments/read-text-argument.js';
import type { CommandContext } from '../../command-context.js';
import { EXIT } from '../../exit-codes.js';
import { shown } from '../../output/shown.js';
import { writeOutput } from '../../output/write-output.js';
import { hostCallbacks } from '../../prompts/host-callbacks.js';
import { openSession } from '../open-session.js';
import { connectTarget, type Target } from '../target.js';
import type { CallOptions } from './command.js';
import { openProgress } from './progress.js';

export async function call(context: CommandContext, text: string, options: CallOptions): Promise<void> {
  const { output, signal } = context;
  const json = options.args === undefined ? undefined : await readTextArgument(options.args, context);
  using progress = openProgress(context);
  await using session = await openSession(context, { callbacks: hostCallbacks(context, progress) });
  const { host, loaded } = session;
  const target = await connectTarget(context, session, text, 'tool', () => host.tools());
  const definition = findTool(host.tools(), target);

  await using tools = createTools(host, {
    policy: createToolPolicy({ servers: serverPermissions(loaded) }),
    // The person has asked for this very call; only what the configuration forbids is not done.
    defaultPermission: 'allow',
    naming: naming.bare,
    // A person may call what is not for models.
    includeAppTools: true,
    confirm: async () => 'once',
  });
  const turn = tools.snapshot();
  const args = definition === undefined ? {} : givenArguments(target, definition, options, json);
  const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1000;
  for await (const event of turn.call(nameIn(turn, target), args, { signal, timeoutMs })) {
    if (event.type === 'progress' || event.type === 'partial') progress.show(event);
    else await finish(target, event);
  }

  async function finish(
    { server, name: tool }: Target,
    event: Extract<ToolEvent, { type: 'result' | 'error' }>,
  ): Promise<void> {
    progress.done();
    if (event.type === 'error') throw forPerson(event.error);
    const { result, issues } = event;
    for (const { path, message } of issues) {
      const place = path.length > 0 ? ` at ${path.map(String).join('.')}` : '';
      output.note(
        shown(`The structured content does not match the output schema of the tool${place}: ${message}`),
      );
    }
    await save(result);
    output.result({ server, tool, ...result }, () => renderForPerson(result));
    if (result.isError === true) context.setExitCode(EXIT.failed);
  }

  /** A model is told to call again; a person is told what to type, and what an interrupted call may have done. */
  function forPerson(error: FittingsError): FittingsError {
    // Ctrl-C reaches a local server too: the call may fail of that before it fails of the abort.
    if (signal.aborted && error.delivery === 'unknown') {
      return new FittingsError('ABORTED', 'Interrupted.', {
        server: target.server,
        cause: error,
        delivery: 'unknown',
        hint: 'The call had already been sent: the server may have carried it out.',
      });
    }
    if (error.code !== 'ARGUMENTS_INVALID' || definition === undefined) return error;
    return new FittingsError('ARGUMENTS_INVALID', error.message, {
      server: target.server,
      cause: error,
      delivery: error.delivery,
      hint: usageLine(target, definition.inputSchema),
    });
  }

  async function save(result: ToolResult): Promise<void> {
    if (options.output === undefined) return;
    const bytes = bytesIn(result);
    if (bytes === undefined) {
      throw new FittingsError(
        'ARGUMENTS_INVALID',
        'The result holds no image, audio or resource to write to a file.',
        { hint: 'Call the tool without -o.' },
      );
    }
    const file = resolve(context.cwd, options.output);
    await writeOutput(file, bytes);
    output.note(`Wrote ${bytes.length} bytes to ${shown(file)}`);
  }
}

function givenArguments(
  target: Target,
  { inputSchema }: CatalogTool,
  { arg: pairs }: CallOptions,
  json: string | undefined,
): Record<string, unknown> {
  const hint = usageLine(target, inputSchema);
  let args: Record<string, unknown>;
  try {
    args = buildArguments({ pairs, json }, inputSchema);
  } catch (error) {
    if (!(error instanceof FittingsError) || error.hint !== undefined) throw error;
    throw new FittingsError(error.code, error.message, { cause: error, delivery: 'not-sent', hint });
  }
  const missing = missingArguments(args, inputSchema);
  if (missing.length === 0) return args;
  const message = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`;
  throw new FittingsError('ARGUMENTS_INVALID', message, {
    server: target.server,
    delivery: 'not-sent',
    hint,
  });
}

/** The bytes of the first block that has some. */
function bytesIn({ content }: ToolResult): Buffer | undefined {
  for (const block of content) {
    if ((block.type === 'image' || block.type === 'audio') && typeof block.data === 'string')
      return Buffer.from(block.data, 'base64');
    if (block.type !== 'resource' || !isRecord(block.resource)) continue;
    const { blob, text } = block.resource;
    if (typeof blob === 'string') return Buffer.from(blob, 'base64');
    if (typeof text === 'string') return Buffer.from(text, 'utf8');
  }
  return undefined;
}

function usageLine({ server, name }: Target, inputSchema: unknown): string {
  return `Usage: fittings call ${shown(server)}/${shown(name)} ${usageOf(inputSchema)}`.trimEnd();
}

function findTool(tools: readonly CatalogTool[], { server, name }: Target): CatalogTool | undefined {
  return tools.find((tool) => tool.server === server && tool.name === name);
}

/** The name under which the toolset knows the tool; why not, where it was left out. */
function nameIn({ names, skipped }: Toolset, { server, name: tool }: Target): string {
  const refused = skipped.find(({ ref }) => ref.server === server && ref.tool === tool);
  if (refused !== undefined) throw refused.error;
  const known = names.nameOf({ server, tool });
  if (known !== undefined) return known;
  const near = names.nearest(tool);
  throw new FittingsError('TOOL_UNKNOWN', `The server "${server}" has no tool "${shown(tool)}".`, {
    server,
    delivery: 'not-sent',
    hint:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : `List its tools: fittings list tools ${server}`,
  });
}
