import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText, truncateText } from '@mcp-fittings/toolbox/text';
import type { ToolRef, ToolResult } from '@mcp-fittings/host';

const MAX_MESSAGE = 4_000;

/**
 * Returns what a function returns for a result: the structured content of a tool with an output schema, and the whole result of
 * any other.
 */
export function valueOf({ server, tool }: ToolRef, result: ToolResult, structured: boolean): unknown {
  if (!structured) return result;
  if (result.structuredContent !== undefined) return result.structuredContent;
  throw new FittingsError(
    'PROTOCOL_VIOLATION',
    `The tool "${show(tool)}" has an output schema but returned no structured content.`,
    { server, delivery: 'unknown', hint: 'The call has been made. Report this to the author of the server.' },
  );
}

/** @param text What the result says, free of control sequences. */
export function toolFailed({ server, tool }: ToolRef, text: string): FittingsError {
  return new FittingsError(
    'TOOL_FAILED',
    truncateText(`The tool "${show(tool)}" failed: ${text}`, MAX_MESSAGE),
    {
      server,
      delivery: 'unknown',
    },
  );
}

const show = (text: string): string => sanitizeText(text, { maxLength: 128 });
