/** Opens a host with the options in JSON of the first argument, if there is one, and prints its problems; asks for its tools if there is a second. */
import { openHost } from '@mcp-fittings/preset';

const [options, tools] = process.argv.slice(2);
if (options !== undefined) {
  const common = { name: 'my-agent', version: '1.0.0', layout: false, store: 'memory' };
  const app = await openHost({ ...common, ...JSON.parse(options) });
  if (tools !== undefined) await app.tools();
  console.log(JSON.stringify(app.problems));
  await app.close();
}
