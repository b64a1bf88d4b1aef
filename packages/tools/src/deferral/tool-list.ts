import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ModelTool } from '../model-tools/model-tool.js';
import { groupBy } from '../names/keys.js';
import { oneLine } from './tool-texts.js';

const MAX_SERVER_NAME = 64;
const MAX_INSTRUCTIONS = 160;

/**
 * Lists tools for the description of `tool_search`, in at most `maxBytes` of UTF-8: each tool with a description if that fits,
 * otherwise the names, otherwise the servers with their number of tools and what they say about themselves. The list does not
 * depend on what is loaded, because a changed description invalidates the prompt cache.
 * @param tools Sorted by name.
 */
export function listTools(
  tools: readonly ModelTool[],
  instructionsOf: (server: string) => string,
  maxBytes: number,
): string {
  const servers = byServer(tools);
  const heading = (server: string, { length }: readonly unknown[]): string =>
    `${sanitizeText(server, { maxLength: MAX_SERVER_NAME })} (${length} ${length === 1 ? 'tool' : 'tools'})`;
  const [withDescriptions] = join(
    servers.flatMap(([server, own]) => [
      () => `${heading(server, own)}:`,
      ...own.map((tool) => () => `- ${tool.name}: ${oneLine(tool.description)}`),
    ]),
    maxBytes,
  );
  if (withDescriptions !== undefined) return withDescriptions;
  const [names] = join(
    servers.map(
      ([server, own]) =>
        () =>
          `${heading(server, own)}: ${own.map(({ name }) => name).join(', ')}`,
    ),
    maxBytes,
  );
  if (names !== undefined) return names;
  const lines = servers.map(([server, own]) => () => {
    const about = oneLine(instructionsOf(server), MAX_INSTRUCTIONS);
    return `- ${heading(server, own)}${about === '' ? '' : `: ${about}`}`;
  });
  const [all, fitting, listed] = join(lines, maxBytes);
  return all ?? `${fitting}… and ${lines.length - listed} more servers`;
}

/** Groups tools by their server, in the order of the servers' names. */
export function byServer(
  tools: readonly ModelTool[],
): readonly (readonly [server: string, tools: readonly ModelTool[]])[] {
  const groups = groupBy(tools, ({ ref }) => ref.server);
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Joins lines until they exceed the limit, and makes no line after that. */
function join(
  lines: readonly (() => string)[],
  maxBytes: number,
): readonly [all: string | undefined, fitting: string, count: number] {
  let text = '';
  let bytes = 0;
  for (const [index, lineOf] of lines.entries()) {
    const line = `${lineOf()}\n`;
    bytes += Buffer.byteLength(line);
    if (bytes > maxBytes) return [undefined, text, index];
    text += line;
  }
  return [text.trimEnd(), text, lines.length];
}
