import type { Transport } from '@mcp-fittings/client-core/transport';

/**
 * An MCP server object. `McpServer` and `Server` of `@modelcontextprotocol/sdk` and of `@modelcontextprotocol/server`
 * are such objects; so is anything that can be connected to a transport.
 */
export interface ConnectableServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/** Makes the server of one connection. Called when a connection starts, once for each: a server has one client. */
export type ServerFactory = () => ConnectableServer | Promise<ConnectableServer>;
