// Started by comparison/sdk-transports.test.ts: two reconnects wait, then the transport is closed; how long does it live on?
const [, , url, sdk] = process.argv;
const { StreamableHTTPClientTransport } = await import(
  sdk === 'SDK v1' ? '@modelcontextprotocol/sdk/client/streamableHttp.js' : '@modelcontextprotocol/client'
);
const transport = new StreamableHTTPClientTransport(new URL(url));
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 2, method: 'polled' });
await transport.send({ jsonrpc: '2.0', id: 3, method: 'polled' });
await new Promise((resolve) => setTimeout(resolve, 200));
await transport.close();
const closed = performance.now();
process.on('exit', () => console.log(Math.round(performance.now() - closed)));
