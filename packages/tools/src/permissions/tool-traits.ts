import type { ToolAnnotations } from '@mcp-fittings/host';

/**
 * The annotations of a tool, with the cautious value where one is missing. A server may lie: use them to sort and to display,
 * and to decide only if the server is trusted.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools (tool annotations are untrusted)
 */
export interface ToolTraits {
  /** Whether the tool changes nothing (`readOnlyHint`). Default false. */
  readonly isReadOnly: boolean;
  /** Whether it may delete or overwrite something (`destructiveHint`). Default true, unless it is read-only. */
  readonly isDestructive: boolean;
  /** Whether a second call with the same arguments has no effect (`idempotentHint`). Default false, unless it is read-only. */
  readonly isIdempotent: boolean;
  /** Whether it interacts with external systems (`openWorldHint`). Default true. */
  readonly isOpenWorld: boolean;
  /** Whether several calls may run at the same time: true for a read-only tool. */
  readonly isConcurrencySafe: boolean;
}

/**
 * Reads the annotations of a tool. {@link ModelTool.traits} has them already.
 * @example
 * ```ts
 * const readOnly = host.tools().filter(({ annotations }) => toolTraits(annotations).isReadOnly);
 * ```
 */
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
