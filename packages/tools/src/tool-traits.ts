import type { ToolAnnotations } from '@mcp-fittings/host';

/**
 * What a tool says about itself, with the careful answer wherever it says nothing. These are a server's words: use them
 * to sort and to display, and for decisions only where the server is trusted.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools (tool annotations are untrusted)
 */
export interface ToolTraits {
  /** Changes nothing. Default false. */
  readonly isReadOnly: boolean;
  /** May destroy something. Default true, unless it is read-only. */
  readonly isDestructive: boolean;
  /** A second call with the same arguments adds nothing. Default false, unless it is read-only. */
  readonly isIdempotent: boolean;
  /** Deals with the world outside. Default true. */
  readonly isOpenWorld: boolean;
  /** Several calls may run at once: those of read-only tools. */
  readonly isConcurrencySafe: boolean;
}

export function toolTraits(annotations: ToolAnnotations | undefined): ToolTraits {
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    isReadOnly,
    isDestructive: !isReadOnly && annotations?.destructiveHint !== false,
    isIdempotent: isReadOnly || annotations?.idempotentHint === true,
    isOpenWorld: annotations?.openWorldHint !== false,
    isConcurrencySafe: isReadOnly,
  };
}
