/**
 * What all examples share: a host on three real servers, and the decisions of a model with this task. The model knows only the tools
 * that it is offered and the results that it gets.
 */
import { loopback, oauth } from '@mcp-fittings/auth-oauth';
import { createHost } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { createToolPolicy, createTools } from '@mcp-fittings/tools';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { startThreeServers } from '../servers/three-servers.mjs';

export const TASK = 'Take as many parts as the vault says from the shelf whose number is the temperature.';

/**
 * Connects the three servers, and offers their tools under names of `nameLimits`. The vault waits for the sign-in of the user, which
 * happens on its pages.
 */
export async function connectThreeServers(nameLimits) {
  const servers = await startThreeServers();
  const host = createHost({
    name: 'example',
    version: '1.0.0',
    transports: [stdio(), http()],
    auth: [
      oauth({
        clientName: 'Example',
        store: memoryStore(),
        interaction: loopback({ open: (page) => servers.openPage(page) }),
      }),
    ],
  });
  for (const { name, state } of await host.connect(servers.entries)) {
    console.log(`${name}: ${state.status}`);
    if (state.status === 'needs-auth') {
      await host.signIn(name);
      console.log(`${name}: signed in, ${host.server(name).state.status}`);
    }
  }
  const permissions = { allowedTools: ['*'] };
  const tools = createTools(host, {
    nameLimits,
    policy: createToolPolicy({ servers: { vault: permissions, flaky: permissions, warehouse: permissions } }),
  });
  return {
    host,
    tools,
    async close() {
      await tools.close();
      await host.close();
      await servers[Symbol.asyncDispose]();
    },
  };
}

/**
 * Decides what the model does next.
 * @param {readonly string[]} offered names of the tools
 * @param {readonly { name: string, text: string }[]} results results so far, in order
 * @returns {{ calls: { name: string, args: object }[], text: string }}
 */
export function decide(offered, results) {
  const call = (name, args = {}) => {
    if (!offered.includes(name)) throw new Error(`The model was not offered ${name}.`);
    return { name, args };
  };
  const find = (name, pattern) =>
    results
      .filter((result) => result.name === name)
      .map(({ text }) => pattern.exec(text)?.[1])
      .find((found) => found !== undefined);
  const count = find('mcp__vault__secret', /is (\d+)/);
  const shelf = find('mcp__flaky__measure', /is (\d+) degrees/);
  const calls = [
    ...(count === undefined ? [call('mcp__vault__secret')] : []),
    ...(shelf === undefined ? [call('mcp__flaky__measure')] : []),
  ];
  if (results.length > 10) throw new Error(`The model gives up: ${JSON.stringify(results)}`);
  if (calls.length > 0) return { calls, text: '' };
  const take =
    offered.find((name) => name.endsWith(`shelf-${shelf}`) || name.endsWith(`shelf_${shelf}`)) ?? 'take';
  const taken = find(take, /^(Took .*)$/m);
  return taken === undefined
    ? { calls: [call(take, { count: Number(count) })], text: '' }
    : { calls: [], text: `Finished: ${taken}` };
}
