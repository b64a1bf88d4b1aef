import { REVISION, scriptedServer, type Exchange, type Scripts } from './scripted-server.js';

/** A server that forgets all sessions when told to, and gives ids s1, s2, … */
export async function forgetfulServer(
  on: Scripts = {},
  options: { readonly refusal?: (exchange: Exchange) => void } = {},
) {
  let given = 0;
  let known = new Set<unknown>();
  const refuse =
    options.refusal ?? ((exchange: Exchange) => exchange.rpcError(-32_001, 'Session not found', 404, null));
  const guarded =
    (script: (exchange: Exchange) => void | Promise<void>) =>
    (exchange: Exchange): void | Promise<void> =>
      known.has(exchange.headers['mcp-session-id']) ? script(exchange) : refuse(exchange);
  const server = await scriptedServer({
    on: {
      initialize(exchange) {
        const id = `s${++given}`;
        known.add(id);
        exchange.result(
          {
            protocolVersion: REVISION,
            capabilities: {},
            serverInfo: { name: `life ${given}`, version: '1' },
          },
          { 'mcp-session-id': id },
        );
      },
      ...Object.fromEntries(
        Object.entries({
          notification: (exchange: Exchange) => exchange.plain(202),
          response: (exchange: Exchange) => exchange.plain(202),
          request: (exchange: Exchange) => exchange.result({ session: exchange.headers['mcp-session-id'] }),
          GET: (exchange: Exchange) => exchange.plain(405),
          ...on,
        }).map(([name, script]) => [name, guarded(script)]),
      ),
    },
  });
  return Object.assign(server, { forget: () => (known = new Set()) });
}
