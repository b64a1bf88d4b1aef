import { createInterface } from 'node:readline/promises';
import { appsExtension, createApps } from '@mcp-fittings/apps';
import { createHost } from '@mcp-fittings/host';
import { createToolPolicy } from '@mcp-fittings/tools';
import { stdio } from '@mcp-fittings/transport-stdio';
import { startAppsPage } from './apps-page.js';
import { exampleServer } from './servers.js';

const [name = 'basic-vanillajs', args = '{}'] = process.argv.slice(2);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const ask = async (text: string, signal?: AbortSignal): Promise<boolean> =>
  (await terminal.question(`${text}\n(y/n) `, { signal })) === 'y';

await using host = createHost({
  name: 'apps-host',
  version: '1.0.0',
  extensions: appsExtension(),
  transports: [stdio()],
});
const servers = { app: exampleServer(name) };
await host.connect(servers);

await using apps = createApps(host, {
  policy: createToolPolicy({ servers }),
  confirm: async ({ text, signal }) => ((await ask(text, signal)) ? 'once' : 'cancel'),
  confirmRead: async ({ text, signal }) => ask(text, signal),
  openLink: async ({ text, url, signal }) => {
    const opens = await ask(text, signal);
    if (opens) console.log(`Open ${url.href}`);
    return opens;
  },
});
const tool = host.tools().find((each) => apps.uriOf(each) !== undefined);
if (tool === undefined) throw new Error(`The server ${name} has no app.`);

const ref = { server: tool.server, tool: tool.name };
// A model would choose the tool and its arguments.
const given = JSON.parse(args) as Record<string, unknown>;
const result = await host.callTool(ref, given);
const app = await apps.app(ref);
if (app.externalDomains.length > 0) console.log(`The app connects to ${app.externalDomains.join(', ')}.`);
for (const sentence of app.refused) console.log(`Refused: ${sentence}`);

await using page = await startAppsPage();
await using view = await page.show(app, { args: given, result });
console.log(`${tool.name} of ${name}: ${view.url.href}`);
await new Promise<void>((resolve) => terminal.once('close', resolve).once('SIGINT', resolve));
