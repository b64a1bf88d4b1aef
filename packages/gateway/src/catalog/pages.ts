import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { RpcError } from '../contracts/rpc-error.js';

/** Items on a page of a list. */
const PAGE_ITEMS = 200;

/** A page of a list, and where the next one begins. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

/**
 * Returns one page. The cursor is opaque to clients; it contains the position and the kind of the list. A list that changes between
 * two pages is reported by `list_changed`.
 * @throws {RpcError} -32602 for a cursor that this list did not give.
 */
export function pageOf<Item>(kind: string, items: readonly Item[], cursor: unknown): Page<Item> {
  const start = cursor === undefined ? 0 : positionOf(kind, cursor);
  if (start > items.length || start % PAGE_ITEMS !== 0) throw invalidCursor();
  const end = start + PAGE_ITEMS;
  return {
    items: items.slice(start, end),
    ...(end < items.length && { nextCursor: cursorAt(kind, end) }),
  };
}

const cursorAt = (kind: string, position: number): string =>
  Buffer.from(`${kind}:${position}`).toString('base64url');

function positionOf(kind: string, cursor: unknown): number {
  if (typeof cursor !== 'string' || cursor.length > 100) throw invalidCursor();
  const [named, digits = ''] = Buffer.from(cursor, 'base64url').toString().split(':');
  const position = Number(digits);
  if (
    named !== kind ||
    !Number.isSafeInteger(position) ||
    cursorAt(kind, position) !== cursor ||
    position < 1
  )
    throw invalidCursor();
  return position;
}

function invalidCursor(): RpcError {
  return new RpcError(RPC_CODES.invalidParams, 'The cursor is invalid. List from the beginning.');
}
