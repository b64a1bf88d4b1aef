import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ModelTool } from '../model-tools/model-tool.js';

/** Number of characters that are searched in each text of a tool. A server decides how long the texts are. */
const SEARCHED = { name: 128, title: 120, description: 1_200, parameterNames: 600, parameters: 1_200 };
const MAX_PARAMETERS = 64;
const MAX_DEPTH = 3;

/**
 * Returns what is searched for a tool: its name first, then the texts that say what it does, then those around it. The weights
 * were chosen with the queries of bench/tool-search.
 */
export function textsOf(
  tool: ModelTool,
  instructions: string,
): readonly { readonly text: string; readonly weight: number }[] {
  const parameters = parametersOf(tool);
  return [
    {
      text: `${tool.ref.server.slice(0, SEARCHED.name)} ${tool.ref.tool.slice(0, SEARCHED.name)}`,
      weight: 1.5,
    },
    { text: tool.ref.tool.slice(0, SEARCHED.name), weight: 3 },
    { text: tool.title.slice(0, SEARCHED.title), weight: 1 },
    { text: tool.description.slice(0, SEARCHED.description), weight: 1.5 },
    { text: parameters.names.slice(0, SEARCHED.parameterNames), weight: 0.3 },
    { text: parameters.descriptions.slice(0, SEARCHED.parameters), weight: 0.3 },
    { text: instructions, weight: 0.15 },
  ];
}

/** Reads the server's own schema: to convert the schemas of all tools for one search would take much longer. */
function parametersOf({ definition }: ModelTool): { readonly names: string; readonly descriptions: string } {
  let names = '';
  let descriptions = '';
  const visit = (schema: unknown, depth: number): void => {
    if (!isRecord(schema) || depth > MAX_DEPTH || isFull()) return;
    visit(schema['items'], depth + 1);
    const properties = schema['properties'];
    if (!isRecord(properties)) return;
    for (const key of Object.keys(properties).slice(0, MAX_PARAMETERS)) {
      if (isFull()) return;
      const member = properties[key];
      names += ` ${key.slice(0, SEARCHED.name)}`;
      if (!isRecord(member)) continue;
      const { description } = member;
      if (typeof description === 'string') descriptions += ` ${description.slice(0, SEARCHED.parameters)}`;
      visit(member, depth + 1);
    }
  };
  const isFull = (): boolean =>
    names.length >= SEARCHED.parameterNames && descriptions.length >= SEARCHED.parameters;
  try {
    visit(definition.inputSchema, 0);
  } catch {
    // A getter of an in-process server threw. The tool is found by its other texts.
  }
  return { names, descriptions };
}

/** Longest description in a list of tools. */
const MAX_LINE = 100;
/** Longer descriptions are not read further for their first sentence. */
const READ = 400;

/** Returns the first sentence of a description on one line. A line break in it could look like another tool of the list. */
export function oneLine(text: string, maxLength = MAX_LINE): string {
  const flat = sanitizeText(text.slice(0, Math.max(READ, maxLength)), {
    maxLength: Math.max(READ, maxLength),
  })
    .replace(/\s+/g, ' ')
    .trim();
  const [sentence = flat] = /^.{8,}?[.!?。](?= |$)/u.exec(flat) ?? [];
  return sanitizeText(sentence, { maxLength });
}
