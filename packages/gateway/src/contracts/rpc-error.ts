/** An error of a request, as its client gets it. */
export class RpcError extends Error {
  /** Code of JSON-RPC, or of MCP. */
  readonly code: number;
  /** Explains the error to a program. */
  readonly data: unknown;
  /** Status of the response over HTTP in revision 2026-07-28. */
  readonly status: number;

  /**
   * @param status - default 200: the response has the error of a request that was understood
   * @param options.cause - error of the request, if this one tells the client what to do about it
   */
  constructor(code: number, message: string, data?: unknown, status = 200, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
    this.status = status;
  }

  /** Returns the member `error` of a response. */
  toJSON(): { readonly code: number; readonly message: string; readonly data?: unknown } {
    const { code, message, data } = this;
    return { code, message, ...(data !== undefined && { data }) };
  }
}

/** Codes of MCP, beside those of JSON-RPC. */
export const MCP_CODES = {
  headerMismatch: -32_020,
  missingClientCapability: -32_021,
  unsupportedVersion: -32_022,
  urlElicitationRequired: -32_042,
} as const;
