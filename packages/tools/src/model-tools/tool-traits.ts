import type { ToolAnnotations } from '@mcp-fittings/host';
import type { ModelTool } from './model-tool.js';

/** Reads the annotations of a tool, with the cautious value where one is missing. */
export function toolTraits(annotations: ToolAnnotations | undefined): ModelTool['traits'] {
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    isReadOnly,
    isDestructive: !isReadOnly && annotations?.destructiveHint !== false,
    isIdempotent: isReadOnly || annotations?.idempotentHint === true,
    isOpenWorld: annotations?.openWorldHint !== false,
    isConcurrencySafe: isReadOnly,
  };
}
