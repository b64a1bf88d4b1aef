import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { serverPermissions } from '@mcp-fittings/config';
import type { CatalogTool, HostCallbacks, ToolResult } from '@mcp-fittings/host';
import type { ToolEvent, Toolset } from '@mcp-fittings/tools';
import { missingArguments, usageOf } from '../arguments/argument-text.js';
import { buildArguments } from '../arguments/build-arguments.js';
import { readTextArgument } from '../arguments/option-values.js';
import type { CommandDeps } from '../command-deps.js';
import { EXIT } from '../exit-codes.js';
import type { RemoteOptions } from '../options.js';
import { CommandError } from '../output/hints.js';
import { writeOutput } from '../output/output.js';
import { printable } from '../output/printable.js';
import { ProgressView } from '../output/progress.js';
import { openSession } from '../session/open-session.js';
import { isServerUrl, refuseRemoteOptions } from '../session/resolve-server.js';
import { loadPins, notAccepted, openPins } from '../session/pins.js';
import { connectOne } from './connect.js';
import { type Target, connectTarget, targetText } from './target.js';

export interface CallOptions extends RemoteOptions {
  readonly args?: string;
  readonly timeout?: number;
  readonly output?: string;
}

/**
 * Calls a tool.
 *
 * @param text `server/tool`, a tool that only one server has, or the URL of a server.
 * @param words The tool, after a URL, and its arguments.
 */
export async function call(
  deps: CommandDeps,
  text: string,
  words: readonly string[],
  options: CallOptions,
): Promise<void> {
  const { output, signal } = deps;
  const named = isServerUrl(text) ? targetAtUrl(text, words) : undefined;
  if (named === undefined) refuseRemoteOptions(options);
  const pairs = named === undefined ? words : words.slice(1);
  checkPairs(text, pairs);
  const json = options.args === undefined ? undefined : await readTextArgument(options.args, deps);
  using progress = new ProgressView(output);
  await using session = await openSession(deps, {
    callbacks: hostCallbacks(deps, progress),
  });
  const { host, loaded } = session;
  // The server starts while these packages are loaded.
  const [target, { createToolPolicy, createTools, naming, renderForTerminal }] = await Promise.all([
    named === undefined
      ? connectTarget(deps, session, text, 'tool', () => host.tools())
      : connectOne(deps, session, named.server, options).then(() => named),
    loadTools(),
    loadPins(),
  ]);
  const { pins } = await openPins(deps, session);
  const definition = findTool(host.tools(), target);

  await using tools = createTools(host, {
    policy: createToolPolicy({ servers: serverPermissions(loaded) }),
    pins,
    // The user has asked for this call. Only what the configuration forbids is refused.
    defaultPermission: 'allow',
    naming: naming.bare,
    // The user may call tools that are not for models.
    includeAppTools: true,
    confirm: async () => 'once',
  });
  const turn = tools.snapshot();
  // What is pinned for the first time is stored, whatever becomes of the call.
  await Promise.allSettled(host.servers().map(async ({ name: each }) => tools.pins?.settled(each)));
  const name = nameIn(turn, target);
  const args = definition === undefined ? {} : givenArguments(target, definition, pairs, json);
  for await (const event of turn.call(name, args, { signal, timeoutMs: options.timeout })) {
    if (event.type === 'progress' || event.type === 'partial') progress.show(event);
    else await finish(target, event);
  }

  async function finish(
    { server, name: tool }: Target,
    event: Extract<ToolEvent, { type: 'result' | 'error' }>,
  ): Promise<void> {
    progress.clear();
    if (event.type === 'error') throw forUser(event.error);
    const { result, issues } = event;
    for (const { path, message } of issues) {
      const place = path.length > 0 ? ` at ${path.map(String).join('.')}` : '';
      output.note(
        printable(`The structured content does not match the output schema of the tool${place}: ${message}`),
      );
    }
    await save(result);
    if (!deps.interactive && result.isError === true && ASKS.test(JSON.stringify(result.content)))
      output.note('The tool asks its user something. Call it at a terminal, and without --json, to answer.');
    output.result({ server, tool, ...result }, () => renderForTerminal(result));
    if (result.isError === true) deps.exitCode = EXIT.failed;
  }

  /** Tells the user what to type, and what an interrupted call may have done. */
  function forUser(error: FittingsError): FittingsError {
    // Ctrl-C reaches a local server too, so the call may fail before it is aborted.
    if (signal.aborted && error.delivery === 'unknown') {
      return new CommandError('ABORTED', 'Interrupted.', {
        server: target.server,
        cause: error,
        delivery: 'unknown',
        hint: 'The call had already been sent: the server may have carried it out.',
      });
    }
    if (error.details['pin'] !== undefined) return notAccepted(target, error, error);
    if (error.code !== 'ARGUMENTS_INVALID' || definition === undefined) return error;
    return new CommandError('ARGUMENTS_INVALID', error.message, {
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
      throw new CommandError(
        'ARGUMENTS_INVALID',
        'The result holds no image, audio or resource to write to a file.',
        { hint: 'Call the tool without -o.' },
      );
    }
    const file = resolve(deps.cwd, options.output);
    await writeOutput(file, bytes);
    output.note(`Wrote ${bytes.length} bytes to ${printable(file)}`);
  }
}

/**
 * Creates the callbacks for servers: `roots` is the current directory, and `elicit` asks the user if stdin is a
 * terminal. What asks is loaded for the first question.
 */
export function hostCallbacks(deps: CommandDeps, line: { clear(): void }): HostCallbacks {
  const roots = async () => [{ uri: pathToFileURL(deps.cwd).href }];
  if (!deps.interactive) return { roots };
  return {
    roots,
    async elicit(request, { server, signal }) {
      line.clear();
      const { askForServer } = await import('../prompts/elicitation.js');
      return askForServer(deps, server, request, signal);
    },
  };
}

/** Matches the error of the official SDKs for a tool that asks a client without elicitation. */
const ASKS = /does not support (?:\w+ )?elicitation/i;

/** Loads what a call needs of the package, and nothing else when it is bundled. */
async function loadTools() {
  const { createToolPolicy, createTools, naming, renderForTerminal } = await import('@mcp-fittings/tools');
  return { createToolPolicy, createTools, naming, renderForTerminal };
}

function givenArguments(
  target: Target,
  { inputSchema }: CatalogTool,
  pairs: readonly string[],
  json: string | undefined,
): Record<string, unknown> {
  const hint = usageLine(target, inputSchema);
  let args: Record<string, unknown>;
  try {
    args = buildArguments({ pairs, json }, inputSchema);
  } catch (error) {
    if (!(error instanceof FittingsError) || error.hint !== undefined) throw error;
    throw new CommandError(error.code, error.message, { cause: error, delivery: 'not-sent', hint });
  }
  const missing = missingArguments(args, inputSchema);
  if (missing.length === 0) return args;
  const message = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`;
  throw new CommandError('ARGUMENTS_INVALID', message, {
    server: target.server,
    delivery: 'not-sent',
    hint,
  });
}

/** Returns the bytes of the first content block that has any. */
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

function usageLine(target: Target, inputSchema: unknown): string {
  return `Usage: fittings call ${targetText(target)} ${usageOf(inputSchema)}`.trimEnd();
}

function findTool(tools: readonly CatalogTool[], { server, name }: Target): CatalogTool | undefined {
  return tools.find((tool) => tool.server === server && tool.name === name);
}

/** Returns the tool's name in the toolset. Throws the reason if the toolset left it out. */
function nameIn({ names, skipped }: Toolset, { server, name: tool }: Target): string {
  const refused = skipped.find(({ ref }) => ref.server === server && ref.tool === tool);
  if (refused !== undefined) {
    throw refused.error.details['pin'] === undefined
      ? refused.error
      : notAccepted({ server, name: tool }, refused.error, refused.error);
  }
  const known = names.nameOf({ server, tool });
  if (known !== undefined) return known;
  const near = names.nearest(tool);
  throw new CommandError('TOOL_UNKNOWN', `The server "${server}" has no tool "${printable(tool)}".`, {
    server,
    delivery: 'not-sent',
    hint:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : `List its tools: fittings list tools ${server}`,
  });
}

function targetAtUrl(server: string, [name]: readonly string[]): Target {
  if (name !== undefined && !name.includes('=')) return { server, name };
  throw new CommandError('ARGUMENTS_INVALID', 'A URL has to be followed by the name of a tool.', {
    delivery: 'not-sent',
    hint: `List its tools: fittings list tools ${printable(server)}`,
  });
}

/** Throws `ARGUMENTS_INVALID` for arguments as other programs take them. */
function checkPairs(target: string, pairs: readonly string[]): void {
  const wrong = pairs.find((text) => !/^[^=\s]+=/.test(text));
  if (wrong === undefined) return;
  const hint = wrong.trimStart().startsWith('{')
    ? "Pass JSON with --args: --args '{…}'"
    : /^[\w.-]+$/.test(wrong) && wrong === pairs[0] && !target.includes('/')
      ? `To call a tool of a server: fittings call ${printable(target)}/${wrong}`
      : "Write name=value for each argument, or --args '{…}' for all.";
  const message = `"${printable(wrong, 60)}" is not in the form name=value.`;
  throw new CommandError('ARGUMENTS_INVALID', message, { delivery: 'not-sent', hint });
}
