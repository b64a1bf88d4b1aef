import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ContentBlock, ToolResult } from '@mcp-fittings/host';
import type { ClientRequest } from '../contracts/surface.js';

/**
 * Returns a result with its blocks as they came, whatever their types are. A value that is not an object is there as text too; before
 * 2026-07-28, it is the member `result` of an object.
 */
export function asSent(result: ToolResult, era: ClientRequest['era']): JSONRPCObject {
  const { content, structuredContent: value } = result;
  const blocks = content.some(({ type }) => type === 'unknown') ? content.map(asReceived) : content;
  if (value === undefined || isRecord(value)) return { ...result, content: blocks };
  const hasText = content.some(({ type }) => type === 'text');
  return {
    ...result,
    content: hasText ? blocks : [...blocks, { type: 'text', text: JSON.stringify(value) }],
    structuredContent: era === 'modern' ? value : { result: value },
  };
}

/** Returns a block as the server sent it, also one of a type that the host does not know. */
export function asReceived(block: ContentBlock): unknown {
  if (block.type !== 'unknown') return block;
  const { value } = block;
  return isRecord(value) ? value : { type: 'text', text: JSON.stringify(value) ?? '' };
}
