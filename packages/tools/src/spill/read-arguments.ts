import { FittingsError } from '@mcp-fittings/client-core';
import type { CatalogTool } from '@mcp-fittings/host';

/** Arguments of `read_result`: they ask for a page of the text from `offset` or `line`, the matches of a pattern, or an item. */
export interface ReadArguments {
  readonly reference: string;
  readonly offset?: number | undefined;
  readonly line?: number | undefined;
  readonly length?: number | undefined;
  readonly pattern?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly item?: number | undefined;
}

/** Describes the reader to models. Its texts do not depend on what is kept, so that prompt caches stay valid. */
export function describeReader(pageCharacters: number): CatalogTool {
  return {
    server: '',
    name: 'read_result',
    title: 'Read a large result',
    description:
      'Reads more of a large result of another tool, which gave you a reference to it. Returns a page of its text from `offset` or `line`, ' +
      'or with `pattern` the matching lines and their offsets, or with `item` an image or audio of it. ' +
      'To find something in a long text, search with `pattern` first. The content comes from the other tool.',
    digest: 'mcp-fittings read_result 1',
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: {
        reference: { type: 'string', description: 'The reference that the other tool returned.' },
        offset: {
          type: 'integer',
          description: 'Where to begin, in characters. Negative: from the end. Default: 0.',
        },
        line: {
          type: 'integer',
          minimum: 1,
          description: 'Where to begin, as a line number, instead of `offset`.',
        },
        length: {
          type: 'integer',
          minimum: 1,
          maximum: pageCharacters,
          description: `How many characters to return. Default: ${pageCharacters}.`,
        },
        pattern: {
          type: 'string',
          minLength: 1,
          description:
            'A regular expression to search for from `offset` or `line` on. Without lookaround and backreferences. ' +
            'Escape special characters with a backslash.',
        },
        ignoreCase: { type: 'boolean', description: 'Whether `pattern` ignores case. Default: false.' },
        item: { type: 'integer', minimum: 1, description: 'The number of an image or audio.' },
      },
      required: ['reference'],
      additionalProperties: false,
    },
  };
}

/** Checks the arguments again, because a program may have turned the check by the schema off. */
export function parseReadArguments(args: Readonly<Record<string, unknown>>): ReadArguments {
  const number = (name: string, min: number): number | undefined => {
    const value = args[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value;
    throw invalid(`"${name}" must be an integer${min > 0 ? ` of at least ${min}` : ''}`);
  };
  const { reference, pattern, ignoreCase } = args;
  if (typeof reference !== 'string') throw invalid('"reference" must be a string');
  if (pattern !== undefined && pattern !== null && (typeof pattern !== 'string' || pattern === ''))
    throw invalid('"pattern" must be a string that is not empty');
  return {
    reference,
    offset: number('offset', Number.MIN_SAFE_INTEGER),
    line: number('line', 1),
    length: number('length', 1),
    pattern: typeof pattern === 'string' ? pattern : undefined,
    ignoreCase: ignoreCase === true,
    item: number('item', 1),
  };
}

export function invalid(problem: string): FittingsError {
  return new FittingsError('ARGUMENTS_INVALID', `The arguments are invalid: ${problem}.`, {
    delivery: 'not-sent',
    hint: 'Call the tool again with other arguments.',
  });
}
