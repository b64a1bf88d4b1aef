import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { measure, type Bounds } from '../json-values.js';

/** Bounds of a result that describes the server, because the host keeps, compares and digests it. */
const HANDSHAKE_BOUNDS: Bounds = { maxNodes: 10_000, maxDepth: 50, maxBytes: 1_048_576 };

/** Returns the error for a result of the handshake that is too large to keep; `undefined` if it is not. */
export function handshakeProblem(
  method: string,
  result: unknown,
): { readonly code: number; readonly message: string } | undefined {
  const { problem } = measure(result, HANDSHAKE_BOUNDS);
  return problem === undefined
    ? undefined
    : { code: RPC_CODES.invalidRequest, message: `The result of ${method} ${problem}.` };
}
