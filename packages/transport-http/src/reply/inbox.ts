import type { RequestId } from '@mcp-fittings/client-core/transport';

/** Where what the server sent goes to. */
export interface Inbox {
  /** A parsed JSON value. */
  readonly receive: (value: unknown) => void;
  /** A response on the stream of a request that it does not answer. */
  readonly foreign: (id: unknown) => void;
  /** What is no JSON, or no JSON-RPC message. */
  readonly malformed: () => void;
  /** Whether somebody still waits for the answer. */
  readonly isPending: (id: RequestId) => boolean;
}
