/*
 * JSON-RPC 2.0 as MCP uses it. The types are as wide as those of both official SDKs, so that values pass between them
 * without a cast. See https://www.jsonrpc.org/specification
 */

/** Identifies a request while it is in flight. Never null in MCP. */
export type RequestId = string | number;

/** The `params` or `result` of a message. The protocol engine validates its members; a transport does not. */
export interface JSONRPCObject {
  /** A member that the method defines. */
  [key: string]: unknown;
  /** Metadata of the protocol, such as a progress token or a trace context. */
  _meta?: { [key: string]: unknown } | undefined;
}

/** A message that asks for a response. */
export interface JSONRPCRequest {
  /** Version of JSON-RPC. */
  jsonrpc: '2.0';
  /** Identifies the request; its response has the same id. */
  id: RequestId;
  /** Name of the method, for example `tools/call`. */
  method: string;
  /** Parameters of the method. */
  params?: JSONRPCObject | undefined;
}

/** A message without a response. */
export interface JSONRPCNotification {
  /** Version of JSON-RPC. */
  jsonrpc: '2.0';
  /** Name of the notification, for example `notifications/progress`. */
  method: string;
  /** Parameters of the notification. */
  params?: JSONRPCObject | undefined;
}

/** A response to a request that succeeded. */
export interface JSONRPCResultResponse {
  /** Version of JSON-RPC. */
  jsonrpc: '2.0';
  /** Id of the request. */
  id: RequestId;
  /** The result of the method. */
  result: JSONRPCObject;
}

/** A response to a request that failed. */
export interface JSONRPCErrorResponse {
  /** Version of JSON-RPC. */
  jsonrpc: '2.0';
  /** Id of the request. Absent if the peer could not read it. */
  id?: RequestId | undefined;
  /** Numeric code, see `RPC_CODES`, a message, and data that the code defines. */
  error: { code: number; message: string; data?: unknown };
}

/** A response of either kind. */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
/** Any JSON-RPC message. */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;
