/**
 * JSON-RPC 2.0 as MCP uses it. The union is deliberately as wide as the ones of both official SDKs, so that
 * values pass between them and us without a cast.
 * @see https://www.jsonrpc.org/specification
 */

/** Identifies one request while it is in flight; never null in MCP. */
export type RequestId = string | number;

/** Parameters or result: an object whose known members the protocol engine checks, not the transport. */
export interface JSONRPCObject {
  [key: string]: unknown;
  _meta?: { [key: string]: unknown } | undefined;
}

export interface JSONRPCRequest {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: JSONRPCObject | undefined;
}

export interface JSONRPCNotification {
  jsonrpc: '2.0';
  method: string;
  params?: JSONRPCObject | undefined;
}

export interface JSONRPCResultResponse {
  jsonrpc: '2.0';
  id: RequestId;
  result: JSONRPCObject;
}

export interface JSONRPCErrorResponse {
  jsonrpc: '2.0';
  /** Absent when the peer could not read the id of what it answers. */
  id?: RequestId | undefined;
  error: { code: number; message: string; data?: unknown };
}

export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;
