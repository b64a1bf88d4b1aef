import type { JSONRPCMessage, RequestId, Transport } from '@mcp-fittings/client-core';

/** A transport that is assignable to `MCPTransport` of `@ai-sdk/mcp`. Use it once, as the transport inside. */
export interface AiSdkTransport {
  /** Is true if the client may ask for the revision 2026-07-28 before it sends `initialize`. Always true. */
  readonly supportsProtocolVersionDiscovery: boolean;
  /** Is true if the client waits for the answer, because every request has a stream of its own, as over HTTP. */
  readonly waitsForProtocolVersionDiscovery: boolean;
  /** Is true if arguments may be sent as headers. */
  readonly supportsMcpToolParameterHeaders: boolean;
  /** Opens the connection. Rejects with a `TransportError`. */
  start(): Promise<void>;
  /** Sends one message, with the options of `@ai-sdk/mcp`. Rejects with a `TransportError` as soon as no response can arrive. */
  send(
    message: JSONRPCMessage,
    options?: {
      /** Cancels the request. Version 2.0.0 of `@ai-sdk/mcp` does not pass it. */
      readonly signal?: AbortSignal;
      /** Headers of this message. */
      readonly headers?: Record<string, string>;
      /** The request that this message belongs to. */
      readonly relatedRequestId?: RequestId;
      /** Resumes an interrupted request. */
      readonly resumptionToken?: string;
      /** Receives tokens to resume with. */
      readonly onresumptiontoken?: (token: string) => void;
    },
  ): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
  /** Tells the transport inside which revision was negotiated. */
  setProtocolVersion(version: string): void;
  /** Set by the client. */
  onclose?: () => void;
  /** Set by the client. */
  onerror?: (error: Error) => void;
  /** Set by the client. */
  onmessage?: (message: JSONRPCMessage) => void;
}

/** From this revision on, closing the stream of a request cancels it. */
const STREAMS_CANCEL = '2026-07-28';

/**
 * Makes a transport of ours fit `createMCPClient({ transport })` of `@ai-sdk/mcp`. Its `signal` of a request becomes our
 * `requestSignal`, and a request that the program aborts is cancelled on the server, which `@ai-sdk/mcp` does not do by itself.
 * @param transport A transport that was not started, such as that of `createStdioTransport()` or `createHttpTransport()`. Its handlers
 * are replaced.
 * @example
 * ```ts
 * const transport = toAiSdkTransport(createStdioTransport({ command: 'npx', args: ['-y', 'docs-server'] }));
 * const client = await createMCPClient({ transport });
 * ```
 */
export function toAiSdkTransport(transport: Transport): AiSdkTransport {
  let version = '';
  const adapted: AiSdkTransport = {
    supportsProtocolVersionDiscovery: true,
    waitsForProtocolVersionDiscovery: transport.hasPerRequestStream === true,
    supportsMcpToolParameterHeaders: transport.sendsHeaders === true,
    start: () => transport.start(),
    close: () => transport.close(),
    setProtocolVersion(negotiated) {
      version = negotiated;
      transport.setProtocolVersion?.(negotiated);
    },
    async send(message, { signal, ...options } = {}) {
      if (signal === undefined) return transport.send(message, options);
      signal.throwIfAborted();
      const cancel = (): void => {
        if (transport.hasPerRequestStream === true && version >= STREAMS_CANCEL) return;
        cancelRequest(transport, message);
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        await transport.send(message, { ...options, requestSignal: signal });
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
  };
  transport.onmessage = (message) => adapted.onmessage?.(message);
  transport.onerror = (error) => adapted.onerror?.(error);
  transport.onclose = () => adapted.onclose?.();
  return adapted;
}

/** Tells the server that a request was cancelled. `initialize` must not be. */
function cancelRequest(transport: Transport, message: JSONRPCMessage): void {
  if (!('method' in message) || !('id' in message) || message.method === 'initialize') return;
  const params = { requestId: message.id, reason: 'The program aborted the request.' };
  // The connection may have ended; then there is nothing to cancel.
  transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined);
}
