import type { JSONRPCMessage } from '@mcp-fittings/client-core/transport';

/** The body of a POST. Throws `MESSAGE_UNSERIALIZABLE`. */
export type Encode = (message: JSONRPCMessage) => string;
